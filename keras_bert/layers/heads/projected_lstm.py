"""LSTM cell with projection and clipping, as in ELMo."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor

# Added to the learned bias of the forget gate, which starts at 0, so that an
# untrained cell keeps most of its state.
_FORGET_BIAS = 1.0


@keras.saving.register_keras_serializable("keras_bert")
class ProjectedLSTMCell(Layer):
    """LSTM cell of ELMo for `keras.layers.RNN`.

    A matrix projects the large cell state to the smaller hidden state, which
    the next step and the next layer read. Both states are clipped.

    Args:
        units: size of the cell state.
        output_size: size of the hidden state.
        cell_clip: maximum absolute value of the cell state.
        projection_clip: maximum absolute value of the hidden state.

    Call arguments:
        vectors: float `(batch_size, input_size)`.
        states: list with the hidden state and the cell state, float
            `(batch_size, output_size)` and `(batch_size, units)`.

    Returns:
        The new hidden state, and the list of the new hidden and cell states.

    Example:

    >>> cell = keras_bert.layers.ProjectedLSTMCell(16, 4)
    >>> keras.layers.RNN(cell)(keras.ops.ones((2, 5, 8))).shape
    TensorShape([2, 4])

    References:
        [LSTMs with a projection](https://arxiv.org/abs/1402.1128)
    """

    def __init__(
        self,
        units: int,
        output_size: int,
        cell_clip: float = 3.0,
        projection_clip: float = 3.0,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(1, units=units, output_size=output_size)
        self.units = units
        self.output_size = output_size
        self.state_size = [output_size, units]
        self.cell_clip = cell_clip
        self.projection_clip = projection_clip

    def build(self, vectors_shape: Shape) -> None:
        add, width = self.add_weight, vectors_shape[-1] + self.output_size
        self.kernel = add((width, 4 * self.units), name="kernel")
        self.bias = add((4 * self.units,), "zeros", name="bias")
        self.projection = add((self.units, self.output_size), name="projection")

    def call(
        self, vectors: Tensor, states: list[Tensor]
    ) -> tuple[Tensor, list[Tensor]]:
        state, cell = states
        gates = ops.matmul(ops.concatenate([vectors, state], -1), self.kernel)
        # TensorFlow's order of the gates, which differs from Keras's order.
        inner, new, forget, outer = ops.split(gates + self.bias, 4, axis=-1)
        cell = ops.sigmoid(forget + _FORGET_BIAS) * cell
        cell = ops.sigmoid(inner) * ops.tanh(new) + cell
        cell = ops.clip(cell, -self.cell_clip, self.cell_clip)
        state = ops.matmul(ops.sigmoid(outer) * ops.tanh(cell), self.projection)
        state = ops.clip(state, -self.projection_clip, self.projection_clip)
        return state, [state, cell]

    def compute_output_shape(
        self, vectors_shape: Shape, states_shape: Shape
    ) -> tuple:
        state_shape, _ = states_shape
        return state_shape, states_shape
