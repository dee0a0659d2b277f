"""Word embeddings, and word and position embeddings."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import check_token_shapes
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.layer import Layer
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


@keras.saving.register_keras_serializable("keras_bert")
class WordEmbeddings(Layer):
    """Word embeddings with optional normalization and dropout.

    Args:
        vocab_size: number of word pieces.
        hidden_size: size of the embedding vectors.
        layer_norm: layer that normalizes the vectors, or None. Its name is
            part of its weight paths.
        dropout: dropout rate applied to the output.
        embeddings_initializer: Keras initializer for the embedding tables.
        max_position_embeddings: number of absolute position embeddings for
            `MaskQueries`, or None for no position embeddings.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> layer_norm = keras_bert.layers.LayerNorm(name="layer_norm")
    >>> embeddings = keras_bert.layers.WordEmbeddings(30, 8, layer_norm)
    >>> embeddings(keras.ops.array([[2, 7, 9, 3]])).shape
    TensorShape([1, 4, 8])

    References:
        [ModernBERT](https://arxiv.org/abs/2412.13663), section 2.1.1
    """

    def __init__(
        self,
        vocab_size: int,
        hidden_size: int,
        layer_norm: keras.layers.Layer | None = None,
        dropout: float = DROPOUT,
        embeddings_initializer: Initializer = None,
        max_position_embeddings: int | None = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(1, vocab_size=vocab_size, hidden_size=hidden_size)
        checks.share(dropout=dropout)
        self.vocab_size = vocab_size
        self.hidden_size = self.embedding_size = hidden_size
        self.layer_norm = layer_norm
        self.embeddings_initializer = get_initializer(embeddings_initializer)
        self.max_position_embeddings: typing.Any = max_position_embeddings
        self.output_dropout = Dropout(
            dropout, dtype=self.dtype_policy, name="dropout"
        )

    def build(self, input_ids_shape: Shape) -> None:
        self.word_embeddings = self.add_table(
            "word_embeddings", self.vocab_size
        )
        if self.max_position_embeddings is not None:
            self.position_embeddings = self.add_table(
                "position_embeddings", self.max_position_embeddings
            )
        output_shape = self.compute_output_shape(input_ids_shape)
        if self.layer_norm is not None:
            self.layer_norm.build(output_shape)
        self.output_dropout.build(output_shape)

    def call(self, input_ids: Tensor, training: bool | None = None) -> Tensor:
        words = self.summands(input_ids)["word"]
        return self.normalized(words, training=training)

    def normalized(
        self, vectors: Tensor, training: bool | None = None
    ) -> Tensor:
        """Apply normalization and dropout to sums of embeddings."""
        if self.layer_norm is not None:
            vectors = self.layer_norm(vectors)
        return self.output_dropout(
            ops.cast(vectors, self.compute_dtype), training=training
        )

    def summands(self, input_ids: Tensor) -> Tensors:
        """Return the vectors that are added for each token.

        Args:
            input_ids: int32 `(batch_size, seq_length)`.

        Returns:
            A dict mapping table names ("word", and in subclasses "position" and
            "segment") to float `(batch_size, seq_length, hidden_size)` tensors.
        """
        return {"word": ops.take(self.word_embeddings, input_ids, axis=0)}

    def compute_output_shape(self, input_ids_shape: Shape) -> Shape:
        return (*input_ids_shape, self.hidden_size)


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

    def _sum(self, input_ids: Tensor, positions: Tensor | None) -> Tensor:
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

    def _positions(
        self, input_ids: Tensor, positions: Tensor | None = None
    ) -> Tensor:
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
