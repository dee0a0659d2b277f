"""Word and position embeddings, with or without layer normalization."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import check_token_shapes
from keras_bert.layers.embeddings.word_embeddings import WordEmbeddings
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


@keras.saving.register_keras_serializable("keras_bert")
class PlainEmbeddings(WordEmbeddings):
    """Word and position embeddings without normalization, as in GPT-1.

    Args:
        vocab_size: number of word pieces.
        hidden_size: size of the embedding vectors.
        max_position_embeddings: maximum sequence length.
        dropout: dropout rate applied to the sum.
        embeddings_initializer: Keras initializer for the embedding tables.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts, for packed sequences. Defaults to the positions in the
            sequence.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.PlainEmbeddings(30, 8, 16)
    >>> embeddings(keras.ops.array([[2, 7, 9, 3]])).shape
    TensorShape([1, 4, 8])

    References:
        [Improving Language Understanding by Generative Pre-Training](
        https://openai.com/research/language-unsupervised), section 3.1
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        max_position_embeddings: int = 512,
        **kwargs: typing.Any,
    ):
        checks.at_least(1, max_position_embeddings=max_position_embeddings)
        super().__init__(
            vocab_size,
            hidden_size,
            max_position_embeddings=max_position_embeddings,
            **kwargs,
        )

    @property
    def max_seq_length(self) -> int:
        """Maximum sequence length that the position table supports."""
        return self.max_position_embeddings

    def call(
        self,
        input_ids: Tensor,
        positions: Tensor | None = None,
        training: bool | None = None,
    ) -> Tensor:
        return self.normalized(self._sum(input_ids, positions), training)

    def summands(self, input_ids: Tensor) -> Tensors:
        words = super().summands(input_ids)
        positions = self._positions(input_ids)
        shape = ops.shape(words["word"])
        return {**words, "position": ops.broadcast_to(positions, shape)}

    def _sum(self, input_ids, positions):
        longest, shape = self.max_seq_length, tuple(input_ids.shape)
        length = 1 if shape[1] is None else shape[1]
        if positions is None and not 0 < length <= longest:
            raise ValueError(
                f"`input_ids` must be 1 to {longest} tokens long, "
                "because `max_position_embeddings` is "
                f"{self.max_position_embeddings}. Received: shape {shape}."
            )
        check_token_shapes(input_ids, positions=positions)
        words = ops.take(self.word_embeddings, input_ids, axis=0)  # [B, S, H]
        return words + self._positions(input_ids, positions)

    def _positions(self, input_ids, positions=None):
        if positions is not None:
            return ops.take(self.position_embeddings, positions, axis=0)
        return self.position_embeddings[: ops.shape(input_ids)[1]]  # [S, H]


@keras.saving.register_keras_serializable("keras_bert")
class TokenEmbeddings(PlainEmbeddings):
    """Word and position embeddings with layer normalization.

    Args:
        vocab_size: number of word pieces.
        hidden_size: size of the embedding vectors.
        max_position_embeddings: maximum sequence length.
        dropout: dropout rate after the normalization.
        layer_norm_epsilon: small float added to the variance.
        embeddings_initializer: Keras initializer for the embedding tables.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts, for packed sequences. Defaults to the positions in the
            sequence.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.TokenEmbeddings(30, 8, 16)
    >>> embeddings(keras.ops.array([[2, 7, 9, 3]])).shape
    TensorShape([1, 4, 8])

    References:
        [DistilBERT](https://arxiv.org/abs/1910.01108), section 3
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        max_position_embeddings: int = 512,
        layer_norm_epsilon: float = EPSILON,
        **kwargs: typing.Any,
    ):
        super().__init__(
            vocab_size, hidden_size, max_position_embeddings, **kwargs
        )
        self.layer_norm = LayerNorm(
            layer_norm_epsilon, dtype="float32", name="layer_norm"
        )
