"""Embeddings of BERT and BigBird."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import check_token_shapes
from keras_bert.layers.embeddings.token_embeddings import TokenEmbeddings
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


@keras.saving.register_keras_serializable("keras_bert")
class BertEmbeddings(TokenEmbeddings):
    """Normalized sum of word, position and segment embeddings, as in BERT.

    Args:
        vocab_size: number of word pieces.
        hidden_size: size of the embedding vectors.
        max_position_embeddings: maximum sequence length.
        type_vocab_size: number of segments.
        dropout: dropout rate after the normalization.
        layer_norm_epsilon: small float added to the variance.
        embeddings_initializer: Keras initializer for the three embedding
            tables.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.
        segment_ids: int32 `(batch_size, seq_length)`, below `type_vocab_size`.
            Defaults to zeros.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts, for packed sequences. Defaults to the positions in the
            sequence.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.BertEmbeddings(30, 8, 16)
    >>> ids = keras.ops.array([[2, 7, 9, 3]])
    >>> embeddings(ids).shape
    TensorShape([1, 4, 8])

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3, figure 2
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        max_position_embeddings: int = 512,
        type_vocab_size: int = 2,
        **kwargs: typing.Any,
    ):
        checks.at_least(1, type_vocab_size=type_vocab_size)
        super().__init__(
            vocab_size, hidden_size, max_position_embeddings, **kwargs
        )
        self.type_vocab_size = type_vocab_size

    def build(self, input_ids_shape: Shape) -> None:
        super().build(input_ids_shape)
        self.segment_embeddings = self.add_table(
            "segment_embeddings", self.type_vocab_size
        )

    def call(
        self,
        input_ids: Tensor,
        segment_ids: Tensor | None = None,
        positions: Tensor | None = None,
        training: bool | None = None,
    ) -> Tensor:
        if segment_ids is None:
            segment_ids = ops.zeros_like(input_ids)
        check_token_shapes(input_ids, segment_ids=segment_ids)
        segments = ops.one_hot(
            ops.reshape(segment_ids, (-1,)), self.type_vocab_size
        )
        segments = ops.matmul(segments, self.segment_embeddings)  # [B * S, H]
        embedded = self._sum(input_ids, positions)  # [B, S, H]
        embedded += ops.reshape(segments, ops.shape(embedded))
        return self.normalized(embedded, training)

    def summands(self, input_ids: Tensor, segment_ids: Tensor) -> Tensors:
        segments = ops.take(self.segment_embeddings, segment_ids, axis=0)
        return {**super().summands(input_ids), "segment": segments}


@keras.saving.register_keras_serializable("keras_bert")
class BigBirdEmbeddings(BertEmbeddings):
    """BERT embeddings with dropout before the normalization, as in BigBird.

    Args:
        **kwargs: arguments of `BertEmbeddings`. `dropout` applies to the sum.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.
        segment_ids: int32 `(batch_size, seq_length)`, below `type_vocab_size`.
            Defaults to zeros.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts, for packed sequences. Defaults to the positions in the
            sequence.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.BigBirdEmbeddings(30, 8, 16)
    >>> ids = keras.ops.array([[2, 7, 9, 3]])
    >>> embeddings(ids).shape
    TensorShape([1, 4, 8])

    References:
        [Big Bird](https://arxiv.org/abs/2007.14062) and the embeddings of
        google-research/bigbird
    """

    def normalized(
        self, vectors: Tensor, training: bool | None = None
    ) -> Tensor:
        vectors = self.layer_norm(
            self.output_dropout(vectors, training=training)
        )
        return ops.cast(vectors, self.compute_dtype)
