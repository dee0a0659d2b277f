"""Replaced token detection heads of ELECTRA and DeBERTaV3."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import Activation
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.flat_dense import make_dense
from keras_bert.layers.flat_dense import make_logits
from keras_bert.layers.layer import Layer
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class ReplacedTokenHead(Layer):
    """Replaced token detection head; a logit above 0 predicts "replaced".

    Args:
        hidden_size: size of the hidden layer.
        activation: Keras activation of the transform.
        kernel_initializer: Keras initializer for the two kernels.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, hidden_size)`.

    Returns:
        float32 logits `(batch_size, seq_length)`.

    Example:

    >>> head = keras_bert.layers.ReplacedTokenHead(8)
    >>> head(keras.ops.ones((2, 5, 8))).shape
    TensorShape([2, 5])

    References:
        [ELECTRA](https://arxiv.org/abs/2003.10555), section 2
    """

    output_dtype = "float32"

    def __init__(
        self,
        hidden_size: int,
        activation: Activation = gelu_erf,
        kernel_initializer: Initializer = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(1, hidden_size=hidden_size)
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.dense = make_dense(
            self, hidden_size, "dense", activation=activation
        )
        self.logits = make_logits(self, 1, "logits")

    def build(self, sequence_output_shape: Shape) -> None:
        self.dense.build(sequence_output_shape)
        self.logits.build(
            self.dense.compute_output_shape(sequence_output_shape)
        )

    def call(
        self, sequence_output: Tensor, training: bool | None = None
    ) -> Tensor:
        states = self.dense(sequence_output, training=training)  # [B, S, H]
        return ops.squeeze(self.logits(ops.cast(states, "float32")), -1)

    def compute_output_shape(self, sequence_output_shape: Shape) -> Shape:
        return tuple(sequence_output_shape[:-1])


@keras.saving.register_keras_serializable("keras_bert")
class NormedReplacedTokenHead(ReplacedTokenHead):
    """Replaced token detection head of DeBERTaV3.

    The vector of the first token is added to each token, and the sums are
    normalized.

    Args:
        hidden_size: size of the hidden layer.
        layer_norm_epsilon: small float added to the variance.
        **kwargs: other arguments of `ReplacedTokenHead`.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, hidden_size)`.

    Returns:
        float32 logits `(batch_size, seq_length)`.

    Example:

    >>> head = keras_bert.layers.NormedReplacedTokenHead(8)
    >>> head(keras.ops.ones((2, 5, 8))).shape
    TensorShape([2, 5])

    References:
        [DeBERTaV3](https://arxiv.org/abs/2111.09543) and the
        `LMMaskPredictionHead` of microsoft/DeBERTa
    """

    def __init__(
        self,
        hidden_size: int,
        layer_norm_epsilon: float = EPSILON,
        **kwargs: typing.Any,
    ):
        super().__init__(hidden_size, **kwargs)
        self.layer_norm = LayerNorm(
            layer_norm_epsilon, dtype="float32", name="layer_norm"
        )

    def build(self, sequence_output_shape: Shape) -> None:
        super().build(sequence_output_shape)
        self.layer_norm.build(sequence_output_shape)

    def call(
        self, sequence_output: Tensor, training: bool | None = None
    ) -> Tensor:
        states = self.layer_norm(sequence_output[:, :1] + sequence_output)
        return super().call(
            ops.cast(states, self.compute_dtype), training=training
        )
