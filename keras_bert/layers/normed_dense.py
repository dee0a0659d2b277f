"""A dense layer that normalizes what it gives."""

import keras

from keras_bert.layers.arguments import revive_sublayers
from keras_bert.layers.arguments import save_arguments
from keras_bert.layers.flat_dense import FlatDense


@keras.saving.register_keras_serializable("keras_bert")
class NormedDense(FlatDense):
    """A dense layer, then a normalization: the transform of ModernBERT's heads.

    Args:
        units: int, width of the outputs.
        layer_norm: layer that normalizes them. Its name is part of the paths
            of its weights.
        **kwargs: other arguments of `keras.layers.Dense`.

    Call arguments:
        inputs: float `(batch_size, ..., input_size)`.

    Returns:
        float `(batch_size, ..., units)`.

    Example:

    >>> layer_norm = keras_bert.layers.LayerNorm(name="layer_norm")
    >>> dense = keras_bert.layers.NormedDense(3, layer_norm)
    >>> dense(keras.ops.ones((2, 8))).shape
    TensorShape([2, 3])
    """

    def __init__(self, units, layer_norm, **kwargs):
        super().__init__(units, **kwargs)
        self.layer_norm = layer_norm

    def build(self, inputs_shape):
        super().build(inputs_shape)
        self.layer_norm.build(self.compute_output_shape(inputs_shape))

    def call(self, inputs, training=None):
        return self.layer_norm(super().call(inputs, training=training))

    def get_config(self):
        own = save_arguments(self, "layer_norm")
        return {**super().get_config(), **own}

    @classmethod
    def from_config(cls, config):
        return cls(**revive_sublayers(config, "layer_norm"))
