"""Table of relative position embeddings, shared by all blocks."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class RelativeTable(Layer):
    """Relative position embeddings for `DisentangledAttention` of all blocks.

    Args:
        num_rows: number of relative positions.
        hidden_size: size of the embedding vectors.
        layer_norm: layer that normalizes the vectors, or None. Its name is
            part of its weight paths.
        embeddings_initializer: Keras initializer for the embedding table.

    Call arguments:
        inputs: any tensor. Its values are ignored.

    Returns:
        float `(num_rows, hidden_size)` in the compute dtype.

    Example:

    >>> layer_norm = keras_bert.layers.LayerNorm(name="layer_norm")
    >>> table = keras_bert.layers.RelativeTable(6, 8, layer_norm)
    >>> table(keras.ops.array([[2, 7, 9, 3]])).shape
    TensorShape([6, 8])

    References:
        [DeBERTa](https://arxiv.org/abs/2006.03654), section 3.1
    """

    def __init__(
        self,
        num_rows: int,
        hidden_size: int,
        layer_norm: keras.layers.Layer | None = None,
        embeddings_initializer: Initializer = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(1, num_rows=num_rows, hidden_size=hidden_size)
        self.num_rows = num_rows
        self.hidden_size = hidden_size
        self.layer_norm = layer_norm
        self.embeddings_initializer = get_initializer(embeddings_initializer)

    def build(self, inputs_shape: Shape) -> None:
        shape = self.compute_output_shape(inputs_shape)
        self.relative_embeddings = self.add_table(
            "relative_embeddings", self.num_rows
        )
        if self.layer_norm:
            self.layer_norm.build(shape)

    def call(self, inputs: Tensor) -> Tensor:
        table = ops.convert_to_tensor(self.relative_embeddings)
        if self.layer_norm:
            table = self.layer_norm(table)
        return ops.cast(table, self.compute_dtype)

    def compute_output_shape(self, inputs_shape: Shape) -> Shape:
        return self.num_rows, self.hidden_size
