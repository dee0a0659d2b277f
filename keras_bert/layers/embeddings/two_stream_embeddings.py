"""Embeddings of XLNet: word embeddings and query stream inputs."""

import keras
from keras import ops

from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.embeddings.token_embeddings import WordEmbeddings
from keras_bert.layers.heads.tied_head import TiedLayer
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class TwoStreamEmbeddings(WordEmbeddings):
    """Word embeddings with the learned initial vector of XLNet's query stream.

    Args:
        vocab_size, hidden_size and others: arguments of `WordEmbeddings`.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`, below `vocab_size`.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.TwoStreamEmbeddings(30, 8)
    >>> embeddings(keras.ops.array([[2, 7, 9, 3]])).shape
    TensorShape([1, 4, 8])

    References:
        [XLNet](https://arxiv.org/abs/1906.08237), section 2.3
    """

    def build(self, input_ids_shape: Shape) -> None:
        super().build(input_ids_shape)
        self.query_embedding = self.add_exact_weight(
            "query_embedding",
            (1, 1, self.hidden_size),
            clone_initializer(self.embeddings_initializer),
        )


@keras.saving.register_keras_serializable("keras_bert")
class QueryStart(TiedLayer):
    """Initial query stream with the same vector at each position.

    Args:
        embeddings: `TwoStreamEmbeddings` of the same model.

    Call arguments:
        states: float `(batch_size, seq_length, hidden_size)`.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> embeddings = keras_bert.layers.TwoStreamEmbeddings(30, 8)
    >>> states = embeddings(keras.ops.array([[2, 7, 9, 3]]))
    >>> keras_bert.layers.QueryStart(embeddings)(states).shape
    TensorShape([1, 4, 8])

    References:
        [XLNet](https://arxiv.org/abs/1906.08237), section 2.3
    """

    def call(self, states: Tensor, training: bool | None = None) -> Tensor:
        vectors = ops.broadcast_to(
            ops.cast(self.embeddings.query_embedding, self.compute_dtype),
            ops.shape(states),
        )
        dropped = self.embeddings.output_dropout(vectors, training=training)
        return ops.cast(dropped, self.compute_dtype)


@keras.saving.register_keras_serializable("keras_bert")
class PredictionRanks(Layer):
    """Prediction ranks that hide all predicted tokens.

    Call arguments:
        positions: int32 `(batch_size, num_predictions)`, positions of the
            predicted tokens, in ascending order, padded with 0 or with
            repeated positions.
        input_ids: int32 `(batch_size, seq_length)`.

    Returns:
        int32 `(batch_size, seq_length)`: 1 at predicted tokens, 0 elsewhere.

    Example:

    >>> positions = keras.ops.array([[1, 2, 0]])
    >>> input_ids = keras.ops.array([[2, 7, 9, 3]])
    >>> ranks = keras_bert.layers.PredictionRanks()(positions, input_ids)
    >>> ranks.numpy().tolist()
    [[0, 1, 1, 0]]
    """

    output_dtype = "int32"

    def call(self, positions: Tensor, input_ids: Tensor) -> Tensor:
        # A padding 0 must not hide the first token.
        slot = ops.arange(ops.shape(positions)[1])
        is_padding = ops.logical_and(ops.equal(positions, 0), slot > 0)
        positions = ops.where(is_padding, -1, positions)
        indices = ops.arange(ops.shape(input_ids)[1])
        equal = ops.equal(ops.expand_dims(positions, 2), indices)  # [B, P, S]
        return ops.max(ops.cast(equal, "int32"), axis=1)

    def compute_output_shape(
        self, positions_shape: Shape, input_ids_shape: Shape
    ) -> Shape:
        return input_ids_shape
