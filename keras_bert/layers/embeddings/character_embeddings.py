"""ELMo's word embeddings: a character CNN with highway layers."""

import typing
from collections.abc import Iterable

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Shape
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class CharacterEmbeddings(Layer):
    """Character CNN that computes a word vector from characters, as in ELMo.

    Convolutions over the characters of a word are max-pooled. The result passes
    through highway layers and a projection.

    Args:
        num_characters: number of characters, without padding.
        character_size: size of a character vector.
        filters: list of (width in characters, number of filters) pairs.
        output_size: size of a word vector.
        num_highways: number of highway layers.
        activation: activation of the convolutions and highway layers, "relu" or
            "tanh".

    Call arguments:
        characters: int32 `(batch_size, seq_length, max_characters)`; 0 at
            padding, which is embedded as zeros.

    Returns:
        float `(batch_size, seq_length, output_size)`.

    Example:

    >>> layer = keras_bert.layers.CharacterEmbeddings(261, 4, [(2, 6)], 8)
    >>> layer(keras.ops.ones((2, 5, 50), "int32")).shape
    TensorShape([2, 5, 8])

    References:
        [ELMo](https://arxiv.org/abs/1802.05365), section 3.4
    """

    def __init__(
        self,
        num_characters: int,
        character_size: int,
        filters: Iterable[Iterable[int]],
        output_size: int,
        num_highways: int = 2,
        activation: str = "relu",
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(1, num_characters=num_characters)
        self.num_characters = num_characters
        self.character_size = character_size
        self.filters = tuple(map(tuple, filters))
        self.output_size = output_size
        same = {"dtype": self.dtype_policy}
        # A monotonic activation commutes with the maximum.
        self.convolutions = [
            keras.layers.Conv1D(
                count, width, activation=activation, name=f"filters_{n}", **same
            )
            for n, (width, count) in enumerate(self.filters)
        ]
        self.num_filters = sum(count for _, count in self.filters)
        self.highways = [
            FlatDense(self.num_filters, how, name=f"{gate}_{n}", **same)
            for n in range(num_highways)
            for gate, how in (("transform", activation), ("carry", "sigmoid"))
        ]
        self.projection = FlatDense(output_size, name="projection", **same)

    def build(self, characters_shape: Shape) -> None:
        shape = self.num_characters, self.character_size
        self.table = self.add_weight(shape, "uniform", name="characters")
        for layer in self.convolutions:
            layer.build((None, None, self.character_size))
        for layer in (*self.highways, self.projection):
            layer.build((None, self.num_filters))

    def call(self, characters: Tensor) -> Tensor:
        *rest, max_characters = ops.shape(characters)
        table = ops.pad(self.table, ((1, 0), (0, 0)))
        vectors = ops.take(table, characters, axis=0)
        vectors = ops.reshape(
            vectors, (-1, max_characters, self.character_size)
        )
        pooled = [
            ops.max(layer(vectors), axis=1) for layer in self.convolutions
        ]
        words = ops.concatenate(pooled, axis=-1)  # [B * S, filters]
        for index in range(0, len(self.highways), 2):
            transform, carry = self.highways[index : index + 2]
            share = carry(words)
            words = share * transform(words) + (1 - share) * words
        return ops.reshape(self.projection(words), (*rest, self.output_size))

    def compute_output_shape(self, characters_shape: Shape) -> Shape:
        return (*characters_shape[:-1], self.output_size)
