"""LSTM that projects the inputs of all tokens in one matrix product."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor

# Gates in Keras's order: input, forget, cell candidate, output.
_NUM_GATES, _FORGET_GATE = 4, 1
# Cell states are sums over all previous tokens, which need float32 precision.
_DTYPE = "float32"


@keras.saving.register_keras_serializable("keras_bert")
class LSTM(Layer):
    """`keras.layers.LSTM` that projects all inputs in one matrix product.

    The outputs are the same. The input projections of all tokens, which are
    most of the work, are computed as one large matrix product, in bfloat16
    under a bfloat16 policy. On a CPU this is faster than a small product for
    each token.

    Args:
        units: size of the output vectors.
        return_sequences: whether to return the outputs of all tokens, or only
            of the token that is processed last.
        go_backwards: whether to read from the last token to the first.
            Outputs of sequences stay in the order of the tokens.

    Call arguments:
        vectors: float `(batch_size, seq_length, hidden_size)`.
        mask: bool `(batch_size, seq_length)`, True at tokens. Other positions
            are skipped.

    Returns:
        float `(batch_size, seq_length, units)`, or `(batch_size, units)`
        if `return_sequences` is False.

    Example:

    >>> layer = keras_bert.layers.LSTM(4, return_sequences=True)
    >>> layer(keras.ops.ones((2, 5, 8))).shape
    TensorShape([2, 5, 4])

    References:
        [LSTM with forget gates](https://doi.org/10.1162/089976600300015015)
    """

    def __init__(
        self,
        units: int,
        return_sequences: bool = False,
        go_backwards: bool = False,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(1, units=units)
        self.units = units
        self.supports_masking = True  # Pass Keras masks on.
        self.return_sequences = return_sequences
        self.go_backwards = go_backwards
        self.gates = FlatDense(
            _NUM_GATES * units,
            bias_initializer=_initial_bias,
            dtype=self.dtype_policy,
            name="gates",
        )
        self.rnn = keras.layers.RNN(
            _Cell(units, dtype=_DTYPE, name="cell"),
            return_sequences=return_sequences,
            go_backwards=go_backwards,
            dtype=_DTYPE,
            name="rnn",
        )

    def build(self, vectors_shape: Shape) -> None:
        self.gates.build(vectors_shape)
        self.rnn.build((*vectors_shape[:-1], _NUM_GATES * self.units))

    def call(self, vectors: Tensor, mask: Tensor | None = None) -> Tensor:
        gates = ops.cast(self.gates(vectors), _DTYPE)
        outputs = self.rnn(gates, mask=mask)
        if self.return_sequences and self.go_backwards:
            outputs = ops.flip(outputs, axis=1)
        return ops.cast(outputs, self.compute_dtype)

    def compute_output_shape(self, vectors_shape: Shape) -> Shape:
        *rest, _ = vectors_shape
        return (*(rest if self.return_sequences else rest[:1]), self.units)


class _Cell(Layer):
    """LSTM step that adds the recurrent product to projected inputs."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = self.output_size = units
        self.state_size = [units, units]

    def build(self, gates_shape):
        self.recurrent_kernel = self.add_weight(
            name="recurrent_kernel",
            shape=(self.units, _NUM_GATES * self.units),
            initializer="orthogonal",
        )

    def call(self, gates, states):
        hidden, cell = states
        # No `+=`: PyTorch cannot modify the slice of a loop.
        gates = gates + ops.matmul(hidden, self.recurrent_kernel)
        inner, forget, new, outer = ops.split(gates, _NUM_GATES, axis=-1)
        cell = ops.sigmoid(forget) * cell + ops.sigmoid(inner) * ops.tanh(new)
        hidden = ops.sigmoid(outer) * ops.tanh(cell)
        return hidden, [hidden, cell]


def _initial_bias(shape, dtype):
    """Return the initial bias: 1 for the forget gate, 0 for the others."""
    gates = ops.arange(shape[0]) // (shape[0] // _NUM_GATES)
    return ops.cast(ops.equal(gates, _FORGET_GATE), dtype)
