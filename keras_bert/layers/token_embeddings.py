"""Embeddings of a Transformer: word + position, normalized or not."""

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import check_places
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.layer import Layer
from keras_bert.layers.layer_norm import LayerNorm


@keras.saving.register_keras_serializable("keras_bert")
class PlainEmbeddings(Layer):
    """Sums word and learned position embeddings.

    Args:
        vocab_size: int, number of word pieces.
        hidden_size: int, width of the vectors.
        max_position_embeddings: int, longest sequence.
        dropout: float, rate on the sum.
        embeddings_initializer: Keras initializer of the tables.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.
        positions: int32 `(batch_size, seq_length)`, the places of the tokens in
            their texts, where those are not the places in the row.

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
        vocab_size,
        hidden_size,
        max_position_embeddings=512,
        dropout=DROPOUT,
        embeddings_initializer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        checks.at_least(
            1,
            vocab_size=vocab_size,
            hidden_size=hidden_size,
            max_position_embeddings=max_position_embeddings,
        )
        checks.share(dropout=dropout)
        self.vocab_size = vocab_size
        self.hidden_size = hidden_size
        self.max_position_embeddings = max_position_embeddings
        self.dropout = dropout
        self.embeddings_initializer = get_initializer(embeddings_initializer)
        self.output_dropout = Dropout(
            dropout, dtype=self.dtype_policy, name="dropout"
        )

    def build(self, input_ids_shape):
        self.word_embeddings = self.add_table(
            "word_embeddings", self.vocab_size
        )
        self.position_embeddings = self.add_table(
            "position_embeddings", self.max_position_embeddings
        )
        self.output_dropout.build((*input_ids_shape, self.hidden_size))

    def _check_length(self, shape, positions):
        is_one_text = shape[1] and positions is None
        if is_one_text and shape[1] > self.max_seq_length:
            raise ValueError(
                f"`input_ids` must be at most {self.max_seq_length} long, for "
                f"`max_position_embeddings`={self.max_position_embeddings}. "
                f"Received: shape {tuple(shape)}."
            )

    @property
    def embedding_size(self):
        """The width of the tables."""
        return self.hidden_size

    @property
    def max_seq_length(self):
        """The longest sequence that there are positions for."""
        return self.max_position_embeddings

    def call(self, input_ids, positions=None, training=None):
        embedded = self._sum(input_ids, positions)
        embedded = ops.cast(embedded, self.compute_dtype)
        return self.output_dropout(embedded, training=training)

    def summands(self, input_ids):
        """Return the vectors that are added up for each token.

        Args:
            input_ids: int32 `(batch_size, seq_length)`.

        Returns:
            A dict of float `(batch_size, seq_length, embedding_size)` by
            "word" and "position".
        """
        words = ops.take(self.word_embeddings, input_ids, axis=0)
        positions = self._positions(input_ids)
        return {
            "word": words,
            "position": ops.broadcast_to(positions, ops.shape(words)),
        }

    def _sum(self, input_ids, positions):
        self._check_length(input_ids.shape, positions)
        check_places(input_ids, positions=positions)
        words = ops.take(self.word_embeddings, input_ids, axis=0)  # [B, S, H]
        return words + self._positions(input_ids, positions)

    def _positions(self, input_ids, positions=None):
        if positions is not None:
            return ops.take(self.position_embeddings, positions, axis=0)
        return self.position_embeddings[: ops.shape(input_ids)[1]]  # [S, H]

    def compute_output_shape(self, input_ids_shape):
        return (*input_ids_shape, self.hidden_size)


@keras.saving.register_keras_serializable("keras_bert")
class TokenEmbeddings(PlainEmbeddings):
    """Sums word and learned position embeddings and normalizes.

    Args:
        vocab_size: int, number of word pieces.
        hidden_size: int, width of the vectors.
        max_position_embeddings: int, longest sequence.
        dropout: float, rate after the normalization.
        layer_norm_epsilon: float, added to the variance.
        embeddings_initializer: Keras initializer of the tables.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.
        positions: int32 `(batch_size, seq_length)`, the places of the tokens in
            their texts, where those are not the places in the row.

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
        vocab_size,
        hidden_size,
        max_position_embeddings=512,
        layer_norm_epsilon=EPSILON,
        **kwargs,
    ):
        super().__init__(
            vocab_size, hidden_size, max_position_embeddings, **kwargs
        )
        self.layer_norm_epsilon = layer_norm_epsilon
        self.layer_norm = LayerNorm(
            layer_norm_epsilon, dtype="float32", name="layer_norm"
        )

    def build(self, input_ids_shape):
        super().build(input_ids_shape)
        self.layer_norm.build((*input_ids_shape, self.hidden_size))

    def call(self, input_ids, positions=None, training=None):
        return self._normalize(self._sum(input_ids, positions), training)

    def _normalize(self, embedded, training):
        embedded = ops.cast(self.layer_norm(embedded), self.compute_dtype)
        return self.output_dropout(embedded, training=training)
