"""Embeddings of RoBERTa."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.embeddings.token_embeddings import TokenEmbeddings


@keras.saving.register_keras_serializable("keras_bert")
class RobertaEmbeddings(TokenEmbeddings):
    """Normalized sum of word and position embeddings, as in RoBERTa.

    The first token has position `pad_id + 1`, even after padding, and the
    positions of tokens are consecutive. All tokens with the id `pad_id` have
    position `pad_id`, regardless of the mask. All tokens have segment 0, the
    first segment embedding.

    Args:
        vocab_size: number of word pieces.
        hidden_size: size of the embedding vectors.
        max_position_embeddings: number of position embeddings. Tokens do not
            use the first `pad_id + 1` of them.
        type_vocab_size: number of segments, or 0 for no segment embeddings.
        pad_id: id of the padding token.
        dropout: dropout rate after the normalization.
        layer_norm_epsilon: small float added to the variance.
        embeddings_initializer: Keras initializer for the three embedding
            tables.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts, for packed sequences. Each text starts at 0.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.RobertaEmbeddings(30, 8, 16)
    >>> embeddings(keras.ops.array([[0, 7, 9, 2, 1]])).shape
    TensorShape([1, 5, 8])

    References:
        [RoBERTa](https://arxiv.org/abs/1907.11692), section 2, and fairseq's
        `LearnedPositionalEmbedding`
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        max_position_embeddings: int = 514,
        type_vocab_size: int = 1,
        pad_id: int = 1,
        **kwargs: typing.Any,
    ):
        checks.at_least(0, type_vocab_size=type_vocab_size, pad_id=pad_id)
        super().__init__(
            vocab_size, hidden_size, max_position_embeddings, **kwargs
        )
        self.type_vocab_size = type_vocab_size
        self.pad_id = pad_id

    def build(self, input_ids_shape: Shape) -> None:
        super().build(input_ids_shape)
        if self.type_vocab_size:
            self.segment_embeddings = self.add_table(
                "segment_embeddings", self.type_vocab_size
            )

    @property
    def max_seq_length(self) -> int:
        return self.max_position_embeddings - self.pad_id - 1

    def _positions(self, input_ids, positions=None):
        is_token = ops.cast(ops.not_equal(input_ids, self.pad_id), "int32")
        counts = ops.cumsum(is_token, axis=1)
        if positions is not None:
            starts = ops.arange(ops.shape(input_ids)[1]) - positions
            counts -= ops.take_along_axis(counts - is_token, starts, axis=1)
        counts *= is_token
        vectors = ops.take(
            self.position_embeddings, self.pad_id + counts, axis=0
        )  # [B, S, H]
        if not self.type_vocab_size:
            return vectors
        return vectors + self.segment_embeddings[0]
