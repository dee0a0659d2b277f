"""A dense layer that drops some of what it is given."""

import keras

from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import check_rates
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.flat_dense import FlatDense


@keras.saving.register_keras_serializable("keras_bert")
class DropoutDense(FlatDense):
    """Dropout, then a dense layer: the transform of RoBERTa's classifier.

    Args:
        units: int, width of the outputs.
        dropout: float, rate on the inputs.
        **kwargs: other arguments of `keras.layers.Dense`.

    Call arguments:
        inputs: float `(batch_size, ..., input_size)`.

    Returns:
        float `(batch_size, ..., units)`.

    Example:

    >>> keras_bert.layers.DropoutDense(3)(keras.ops.ones((2, 8))).shape
    TensorShape([2, 3])
    """

    def __init__(self, units, dropout=DROPOUT, **kwargs):
        check_rates(dropout=dropout)
        super().__init__(units, **kwargs)
        self.dropout = dropout
        self.input_dropout = Dropout(dropout, dtype=self.dtype_policy)

    def build(self, inputs_shape):
        self.input_dropout.build(inputs_shape)
        super().build(inputs_shape)

    def call(self, inputs, training=None):
        dropped = self.input_dropout(inputs, training=training)
        return super().call(dropped, training=training)

    def get_config(self):
        return {**super().get_config(), "dropout": self.dropout}
