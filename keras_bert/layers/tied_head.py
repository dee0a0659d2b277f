"""Scores of word pieces by the table of their embeddings."""

import keras
from keras import ops

from keras_bert.layers.layer import Layer
from keras_bert.layers.positions import gather_positions


class TiedLayer(Layer):
    """Base class of layers that share a table of the model's embeddings.

    A config describes the embeddings in this layer once more. A layer made
    from it takes the embeddings of that name from the model it is called in, so
    `clone_model` and `from_config` of a model keep the tie, as files do.

    Args:
        embeddings: the layer with the table, built or not.
    """

    def __init__(self, embeddings, **kwargs):
        super().__init__(**kwargs)
        self.embeddings = embeddings

    def __call__(self, *args, **kwargs):
        states = keras.tree.flatten((args, kwargs))[0]
        is_symbolic = isinstance(states, keras.KerasTensor)
        if is_symbolic and not (self.built or self.embeddings.built):
            sources = keras.utils.get_source_inputs(states)
            model = keras.Model(sources, states, name=self.name)
            kind, name = type(self.embeddings), self.embeddings.name
            for layer in model._flatten_layers():
                if type(layer) is kind and layer.name == name and layer.built:
                    self.embeddings = layer
        return super().__call__(*args, **kwargs)

    def get_build_config(self):
        """Return nothing: the first call builds, for it finds the table."""

    def build(self, states_shape):
        if not self.embeddings.built:
            self.embeddings.build(states_shape[:-1])


@keras.saving.register_keras_serializable("keras_bert")
class LMHead(TiedLayer):
    """Scores every word piece by the product with its embedding.

    The vectors at the predicted positions are gathered first, then multiplied
    by the table of word embeddings of the `embeddings` layer. Copies of a model
    and its files keep the tie.

    Args:
        embeddings: the built or unbuilt layer of the same model that has the
            table: `word_embeddings`, `(vocab_size, embedding_size)`.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, embedding_size)`.
        masked_lm_positions: int32 `(batch_size, num_predictions)`, from 0.
            Without it, every position is predicted.

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

    def call(self, sequence_output, masked_lm_positions=None):
        states = ops.cast(sequence_output, self.compute_dtype)
        if masked_lm_positions is not None:
            states = gather_positions(states, masked_lm_positions)  # [B, P, H]
        transformed = self._transformed(states)
        vectors = ops.reshape(transformed, (-1, self.embeddings.embedding_size))
        # The table stands first, so that its gradient is no transpose.
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
        self, sequence_output_shape, masked_lm_positions_shape=None
    ):
        rows = masked_lm_positions_shape or sequence_output_shape
        return (*rows[:2], self.embeddings.vocab_size)


@keras.saving.register_keras_serializable("keras_bert")
class TiedHead(LMHead):
    """The `LMHead` of transformed vectors, with a bias for each word piece.

    Args:
        embeddings: the layer of the same model that has the table, as that of
            `LMHead`.
        transform: layer from vectors to such of `embedding_size`. Its name is
            part of the paths of its weights.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, hidden_size)`.
        masked_lm_positions: int32 `(batch_size, num_predictions)`, from 0.
            Without it, every position is predicted.

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

    def __init__(self, embeddings, transform, **kwargs):
        super().__init__(embeddings, **kwargs)
        self.transform = transform

    def build(self, sequence_output_shape):
        super().build(sequence_output_shape)
        self.transform.build(sequence_output_shape)
        self.output_bias = self.add_exact_weight(
            "output_bias", (self.embeddings.vocab_size,), "zeros"
        )

    def call(self, sequence_output, masked_lm_positions=None):
        logits = super().call(sequence_output, masked_lm_positions)
        return logits + self.output_bias

    def _transformed(self, states):
        return self.transform(states)
