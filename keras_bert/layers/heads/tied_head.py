"""Language modeling heads that share the word embeddings of the model."""

import typing

import keras
from keras import ops

from keras_bert.layers.arguments import Shape
from keras_bert.layers.layer import Layer
from keras_bert.layers.positions import gather_positions
from keras_bert.typing import Tensor


class TiedLayer(Layer):
    """Base class for layers that share weights of an embedding layer.

    The config of such a layer includes a copy of the embedding layer. When a
    layer created from this config is called in a model, it uses the embedding
    layer of the same name in that model. Therefore `clone_model`, `from_config`
    and saved files keep the weights shared.

    Args:
        embeddings: embedding layer. It may be built later.
    """

    def __init__(self, embeddings: keras.layers.Layer, **kwargs: typing.Any):
        super().__init__(**kwargs)
        self.embeddings = embeddings

    def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> Tensor:
        states = keras.tree.flatten((args, kwargs))[0]
        is_symbolic = isinstance(states, keras.KerasTensor)
        if is_symbolic and not (self.built or self.embeddings.built):
            sources = keras.utils.get_source_inputs(states)
            model = keras.Model(sources, states, name=self.name)
            layer_class, name = type(self.embeddings), self.embeddings.name
            for layer in model._flatten_layers():
                if (
                    type(layer) is layer_class
                    and layer.name == name
                    and layer.built
                ):
                    self.embeddings = layer
        return super().__call__(*args, **kwargs)

    def get_build_config(self) -> None:
        """Return None, because the first call builds the layer."""

    def build(self, states_shape: Shape) -> None:
        if not self.embeddings.built:
            self.embeddings.build(states_shape[:-1])


@keras.saving.register_keras_serializable("keras_bert")
class LMHead(TiedLayer):
    """Language modeling head with tied weights and without bias.

    The vectors at the predicted positions are gathered and multiplied by the
    word embeddings of the `embeddings` layer. The weights stay shared in copies
    and saved files of the model.

    Args:
        embeddings: layer of the same model with the weight `word_embeddings`,
            `(vocab_size, embedding_size)`.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, embedding_size)`.
        masked_lm_positions: int32 `(batch_size, num_predictions)`, positions to
            predict, counted from 0. Defaults to all positions.

    Returns:
        float32 logits `(batch_size, num_predictions, vocab_size)`.

    Example:

    >>> embeddings = keras_bert.layers.PlainEmbeddings(30, 8, 16)
    >>> embedded = embeddings(keras.ops.array([[2, 4, 9, 3]]))
    >>> keras_bert.layers.LMHead(embeddings)(embedded).shape
    TensorShape([1, 4, 30])

    References:
        [Using the Output Embedding to Improve Language Models](
        https://arxiv.org/abs/1608.05859)
    """

    output_dtype = "float32"

    def call(
        self, sequence_output: Tensor, masked_lm_positions: Tensor | None = None
    ) -> Tensor:
        states = ops.cast(sequence_output, self.compute_dtype)
        if masked_lm_positions is not None:
            states = gather_positions(states, masked_lm_positions)  # [B, P, H]
        transformed = self._transformed(states)
        vectors = ops.reshape(transformed, (-1, self.embeddings.embedding_size))
        # With the embeddings on the left, their gradient needs no transpose.
        logits = ops.matmul(
            ops.cast(self.embeddings.word_embeddings, self.compute_dtype),
            ops.transpose(ops.cast(vectors, self.compute_dtype)),
        )  # [V, B * P]
        logits = ops.reshape(
            ops.transpose(logits),
            (-1, ops.shape(states)[1], self.embeddings.vocab_size),
        )  # [B, P, V]
        return ops.cast(logits, "float32")

    def _transformed(self, states):
        return states

    def compute_output_shape(
        self,
        sequence_output_shape: Shape,
        masked_lm_positions_shape: Shape | None = None,
    ) -> Shape:
        rows = masked_lm_positions_shape or sequence_output_shape
        return (*rows[:2], self.embeddings.vocab_size)


@keras.saving.register_keras_serializable("keras_bert")
class TiedHead(LMHead):
    """Language modeling head with a transform, tied weights and a bias.

    Args:
        embeddings: layer of the same model with the word embeddings, as in
            `LMHead`.
        transform: layer that maps `hidden_size` to `embedding_size`. Its name
            is part of its weight paths.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, hidden_size)`.
        masked_lm_positions: int32 `(batch_size, num_predictions)`, positions to
            predict, counted from 0. Defaults to all positions.

    Returns:
        float32 logits `(batch_size, num_predictions, vocab_size)`.

    Example:

    >>> embeddings = keras_bert.layers.TokenEmbeddings(30, 8, 16)
    >>> embedded = embeddings(keras.ops.array([[2, 4, 9, 3]]))
    >>> transform = keras_bert.layers.FlatDense(8, name="transform")
    >>> head = keras_bert.layers.TiedHead(embeddings, transform)
    >>> head(embedded, keras.ops.array([[1]])).shape
    TensorShape([1, 1, 30])

    References:
        [Using the Output Embedding to Improve Language Models](
        https://arxiv.org/abs/1608.05859)
    """

    def __init__(
        self,
        embeddings: keras.layers.Layer,
        transform: keras.layers.Layer,
        **kwargs: typing.Any,
    ):
        super().__init__(embeddings, **kwargs)
        self.transform = transform

    def build(self, sequence_output_shape: Shape) -> None:
        super().build(sequence_output_shape)
        self.transform.build(sequence_output_shape)
        self.output_bias = self.add_exact_weight(
            "output_bias", (self.embeddings.vocab_size,), "zeros"
        )

    def call(
        self, sequence_output: Tensor, masked_lm_positions: Tensor | None = None
    ) -> Tensor:
        logits = super().call(sequence_output, masked_lm_positions)
        return logits + self.output_bias

    def _transformed(self, states):
        return self.transform(states)
