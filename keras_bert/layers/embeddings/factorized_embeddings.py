"""Factorized embeddings of ALBERT and ELECTRA."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.flat_dense import make_dense
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor
from keras_bert.typing import Tensors


@keras.saving.register_keras_serializable("keras_bert")
class FactorizedEmbeddings(Layer):
    """Embeddings with a small size that are projected to the hidden size.

    The word embeddings, the largest weight of the model, and the transform of
    the masked-LM head then have the embedding size instead of the hidden size.

    Args:
        tables: layer that computes the small embeddings, with the call
            arguments of `BertEmbeddings`. Its name is part of its weight paths.
            Several layers may share it.
        hidden_size: size of the output vectors. If None, the outputs of
            `tables` are returned without a projection.
        kernel_initializer: Keras initializer for the kernel.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`.
        segment_ids: int32 `(batch_size, seq_length)`.
        positions: int32 `(batch_size, seq_length)`, positions of the tokens in
            their texts, for packed sequences. Defaults to the positions in the
            sequence.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> tables = keras_bert.layers.BertEmbeddings(30, 4, 16, name="tables")
    >>> embeddings = keras_bert.layers.FactorizedEmbeddings(tables, 8)
    >>> ids = keras.ops.array([[2, 7, 9, 3]])
    >>> embeddings(ids, keras.ops.zeros_like(ids)).shape
    TensorShape([1, 4, 8])

    References:
        [ALBERT](https://arxiv.org/abs/1909.11942), section 3.1
    """

    def __init__(
        self,
        tables: keras.layers.Layer,
        hidden_size: int,
        kernel_initializer: Initializer = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        self.tables = tables
        self.hidden_size = hidden_size
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.projection = None
        if hidden_size is not None:
            checks.at_least(1, hidden_size=hidden_size)
            self.projection = make_dense(self, hidden_size, "projection")

    @property
    def vocab_size(self) -> int:
        """Number of word pieces."""
        return self.tables.vocab_size

    @property
    def embedding_size(self) -> int:
        """Size of the output vectors of `tables`."""
        return self.tables.embedding_size

    @property
    def word_embeddings(self) -> Tensor:
        """Word embeddings, which the masked-LM head shares."""
        return self.tables.word_embeddings

    def summands(self, input_ids: Tensor, segment_ids: Tensor) -> Tensors:
        """Return the embeddings that `tables` adds for each token."""
        return self.tables.summands(input_ids, segment_ids)

    def build(self, input_ids_shape: Shape) -> None:
        if not self.tables.built:
            self.tables.build(input_ids_shape)
        if self.projection:
            self.projection.build((*input_ids_shape, self.embedding_size))

    def call(
        self,
        input_ids: Tensor,
        segment_ids: Tensor | None = None,
        positions: Tensor | None = None,
        training: bool | None = None,
    ) -> Tensor:
        packed = {} if positions is None else {"positions": positions}
        embedded = self.tables(
            input_ids, segment_ids, **packed, training=training
        )
        if self.projection:
            return self.projection(embedded)
        return ops.cast(embedded, self.compute_dtype)

    def compute_output_shape(self, input_ids_shape: Shape) -> Shape:
        return (*input_ids_shape, self.hidden_size or self.embedding_size)
