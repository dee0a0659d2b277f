"""Span boundary head of SpanBERT."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import Activation
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.flat_dense import NormedDense
from keras_bert.layers.heads.tied_head import TiedHead
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.layers.positions import gather_positions
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class SpanBoundaryHead(TiedHead):
    """Head that predicts the tokens in a span from the two tokens around it.

    The vectors of the two tokens and an embedding of the position in the span
    pass through two blocks of dense layer, activation and LayerNorm. Tied
    word embeddings compute the logits.

    Args:
        embeddings: layer of the same model with the word embeddings, as in
            `LMHead`.
        max_span_length: number of positions in a span.
        position_size: size of the position embeddings.
        activation: Keras activation of the blocks.
        layer_norm_epsilon: small float added to the variance.
        kernel_initializer: Keras initializer for the blocks and the position
            embeddings.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, hidden_size)`.
        span_boundaries: int32 `(batch_size, num_predictions, 2)`, positions of
            the tokens before and after the span of each prediction.
        span_positions: int32 `(batch_size, num_predictions)`, position of
            each prediction in its span, from 0.

    Returns:
        float32 logits `(batch_size, num_predictions, vocab_size)`.

    Example:

    >>> embeddings = keras_bert.layers.BertEmbeddings(30, 8, 16)
    >>> ids = keras.ops.array([[2, 4, 9, 5, 3]])
    >>> head = keras_bert.layers.SpanBoundaryHead(embeddings)
    >>> embedded = embeddings(ids, keras.ops.zeros_like(ids))
    >>> boundaries = keras.ops.array([[[1, 3]]])
    >>> head(embedded, boundaries, keras.ops.array([[0]])).shape
    TensorShape([1, 1, 30])

    References:
        [SpanBERT](https://arxiv.org/abs/1907.10529), section 3.2
    """

    def __init__(
        self,
        embeddings: keras.layers.Layer,
        max_span_length: int = 15,
        position_size: int = 200,
        activation: Activation = gelu_erf,
        layer_norm_epsilon: float = EPSILON,
        kernel_initializer: Initializer = None,
        **kwargs: typing.Any,
    ):
        checks.at_least(
            1, max_span_length=max_span_length, position_size=position_size
        )
        kernel_initializer = get_initializer(kernel_initializer)
        first, second = (
            NormedDense(
                embeddings.embedding_size,
                LayerNorm(
                    epsilon=layer_norm_epsilon,
                    dtype="float32",
                    name="layer_norm",
                ),
                activation=activation,
                kernel_initializer=clone_initializer(kernel_initializer),
                dtype=kwargs.get("dtype"),
                name=name,
            )
            for name in ("transform", "second_transform")
        )
        super().__init__(embeddings, first, **kwargs)
        self.second_transform = second
        self.kernel_initializer = kernel_initializer
        self.max_span_length = max_span_length
        self.position_size = position_size

    def build(self, sequence_output_shape: Shape) -> None:
        *outer, hidden_size = sequence_output_shape
        width = 2 * hidden_size + self.position_size
        super().build((*outer, width))
        self.second_transform.build(
            self.transform.compute_output_shape((*outer, width))
        )
        self.position_embeddings = self.add_exact_weight(
            "position_embeddings",
            (self.max_span_length, self.position_size),
            clone_initializer(self.kernel_initializer),
        )

    def call(
        self,
        sequence_output: Tensor,
        span_boundaries: Tensor,
        span_positions: Tensor,
    ) -> Tensor:
        states = ops.cast(sequence_output, self.compute_dtype)
        positions = ops.cast(self.position_embeddings, self.compute_dtype)
        read = [
            gather_positions(states, span_boundaries[..., 0]),  # [B, P, H]
            gather_positions(states, span_boundaries[..., 1]),
            gather_positions(positions, span_positions),
        ]
        return super().call(ops.concatenate(read, axis=-1))

    def _transformed(self, states):
        return self.second_transform(super()._transformed(states))

    def compute_output_shape(
        self,
        sequence_output_shape: Shape,
        span_boundaries_shape: Shape,
        span_positions_shape: Shape,
    ) -> Shape:
        return (*span_positions_shape, self.embeddings.vocab_size)
