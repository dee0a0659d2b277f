"""Word embeddings with optional normalization and dropout."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.layer import Layer
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
