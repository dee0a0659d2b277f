"""Position-wise feed-forward network layers."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.activations import gelu_tanh
from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import Activation
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.flat_dense import make_dense
from keras_bert.layers.layer import Layer
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class FeedForward(Layer):
    """Feed-forward network: two dense layers with an activation between them.

    Args:
        hidden_size: size of the input and output vectors.
        intermediate_size: size of the hidden layer between them.
        activation: Keras activation. Defaults to the tanh GELU of
            google-research/bert.
        dropout: dropout rate applied to the output.
        kernel_initializer: Keras initializer for the kernels.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.

    Returns:
        float `(batch_size, seq_length, hidden_size)`.

    Example:

    >>> feed_forward = keras_bert.layers.FeedForward(8, 32)
    >>> feed_forward(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [Attention Is All You Need](https://arxiv.org/abs/1706.03762),
        section 3.3
    """

    def __init__(
        self,
        hidden_size: int,
        intermediate_size: int,
        activation: Activation = gelu_tanh,
        dropout: float = DROPOUT,
        kernel_initializer: Initializer = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        self.supports_masking = True  # Pass Keras masks on.
        checks.at_least(
            1, hidden_size=hidden_size, intermediate_size=intermediate_size
        )
        checks.share(dropout=dropout)
        self.hidden_size = hidden_size
        self.intermediate_size = intermediate_size
        self.activation = keras.activations.get(activation)
        self.kernel_initializer = get_initializer(kernel_initializer)
        self._add_dense_layers()
        self.output_dropout = Dropout(
            dropout, dtype=self.dtype_policy, name="output_dropout"
        )

    def _add_dense_layers(self) -> None:
        self.intermediate = make_dense(
            self,
            self.intermediate_size,
            "intermediate",
            activation=self.activation,
        )
        self.feed_forward_output = make_dense(
            self, self.hidden_size, "feed_forward_output"
        )

    def build(self, inputs_shape: Shape) -> None:
        self.intermediate.build(inputs_shape)
        self.feed_forward_output.build(
            (*inputs_shape[:-1], self.intermediate_size)
        )
        self.output_dropout.build(inputs_shape)

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        inner = self.inner(self.intermediate(inputs))
        output = self.feed_forward_output(inner)
        return self.output_dropout(output, training=training)

    def inner(self, outputs: Tensor, training: bool | None = None) -> Tensor:
        """Compute the input of `feed_forward_output`, the second dense layer.

        Args:
            outputs: float `(..., size)`, outputs of `intermediate`, of all
                units or of a subset of them.
            training: whether gradients will be computed.

        Returns:
            float `(..., size)`.
        """
        return outputs


@keras.saving.register_keras_serializable("keras_bert")
class ResidualFeedForward(FeedForward):
    """Feed-forward network with a residual connection and layer normalization.

    Args:
        hidden_size: size of the input and output vectors.
        intermediate_size: size of the hidden layer.
        layer_norm_epsilon: small float added to the variance.
        **kwargs: other arguments of `FeedForward`. `dropout` applies to the
            inputs and to the output.

    Call arguments:
        inputs: float `(batch_size, ..., hidden_size)`.

    Returns:
        float `(batch_size, ..., hidden_size)`.

    Example:

    >>> feed_forward = keras_bert.layers.ResidualFeedForward(8, 32)
    >>> feed_forward(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        `BigBirdForQuestionAnsweringHead` of transformers
    """

    def __init__(
        self,
        hidden_size: int,
        intermediate_size: int,
        layer_norm_epsilon: float = EPSILON,
        **kwargs: typing.Any,
    ):
        super().__init__(hidden_size, intermediate_size, **kwargs)
        self.layer_norm = LayerNorm(
            layer_norm_epsilon, dtype="float32", name="layer_norm"
        )

    def build(self, inputs_shape: Shape) -> None:
        super().build(inputs_shape)
        self.layer_norm.build(inputs_shape)

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        dropped = self.output_dropout(inputs, training=training)
        added = inputs + super().call(dropped, training)
        return ops.cast(self.layer_norm(added), self.compute_dtype)
