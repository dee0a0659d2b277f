"""Gradient-disentangled embedding sharing of DeBERTaV3."""

import typing

import keras
from keras import ops

from keras_bert.layers.arguments import Shape
from keras_bert.layers.embeddings.token_embeddings import WordEmbeddings
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class DisentangledEmbeddings(Layer):
    """Sum of a trained and a frozen word embedding.

    The losses of a generator and its discriminator pull shared embeddings in
    different directions. Therefore the discriminator uses the generator's
    embeddings without a gradient and adds learned embeddings of its own.

    Args:
        embeddings: `WordEmbeddings` of the discriminator. It also normalizes
            the sum.
        shared: `WordEmbeddings` of the generator in the same model.

    Call arguments:
        input_ids: int32 `(batch_size, seq_length)`.

    Returns:
        float `(batch_size, seq_length, hidden_size)` in the compute dtype.

    Example:

    >>> own, shared = (
    ...     keras_bert.layers.WordEmbeddings(
    ...         30, 8, keras_bert.layers.LayerNorm(name="layer_norm")
    ...     )
    ...     for _ in range(2)
    ... )
    >>> embeddings = keras_bert.layers.DisentangledEmbeddings(own, shared)
    >>> embeddings(keras.ops.array([[2, 7, 9, 3]])).shape
    TensorShape([1, 4, 8])

    References:
        [DeBERTaV3](https://arxiv.org/abs/2111.09543), section 3.3
    """

    def __init__(
        self,
        embeddings: WordEmbeddings,
        shared: WordEmbeddings,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        self.embeddings = embeddings
        self.shared = shared

    def build(self, input_ids_shape: Shape) -> None:
        for layer in (self.embeddings, self.shared):
            if not layer.built:
                layer.build(input_ids_shape)

    def call(self, input_ids: Tensor, training: bool | None = None) -> Tensor:
        added, read = (
            x.summands(input_ids)["word"]
            for x in (self.embeddings, self.shared)
        )
        return self.embeddings.normalized(
            added + ops.stop_gradient(read), training=training
        )

    def compute_output_shape(self, input_ids_shape: Shape) -> Shape:
        return self.embeddings.compute_output_shape(input_ids_shape)
