"""Predicts the words behind the masked tokens."""

import keras
from keras import ops

from keras_bert.layers.activations import gelu_tanh
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.layers.positions import gather_positions


@keras.saving.register_keras_serializable("keras_bert")
class MaskedLMHead(keras.layers.Layer):
    """Scores every word piece at the predicted positions only.

    The vectors at the positions are gathered first, then transformed
    (dense, activation, LayerNorm) and multiplied by the table of word
    embeddings, which is that of the `embeddings` layer itself. The tie holds
    through `.keras` files and weights files; `clone_model` and a model's
    `from_config` make the head a table of its own.

    Args:
        embeddings: the built or unbuilt layer of the same model that has the
            table: `word_embeddings`, `(vocab_size, embedding_size)`. It may
            be narrower than the vectors, which the transform makes as wide.
        activation: Keras activation of the transform.
        layer_norm_epsilon: float, added to the variance.
        kernel_initializer: Keras initializer of the transform.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, hidden_size)`.
        masked_lm_positions: int32 `(batch_size, num_predictions)`, from 0.
            Without it, every position is predicted.

    Returns:
        float32 logits `(batch_size, num_predictions, vocab_size)`.

    Example:

    >>> embeddings = keras_bert.layers.BertEmbeddings(30, 8, 16)
    >>> ids = keras.ops.array([[2, 4, 9, 3]])
    >>> head = keras_bert.layers.MaskedLMHead(embeddings)
    >>> embedded = embeddings(ids, keras.ops.zeros_like(ids))
    >>> head(embedded, keras.ops.array([[1]])).shape
    TensorShape([1, 1, 30])

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1, task 1
    """

    def __init__(
        self,
        embeddings,
        activation=gelu_tanh,
        layer_norm_epsilon=EPSILON,
        kernel_initializer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.embeddings = embeddings
        self.activation = keras.activations.get(activation)
        self.layer_norm_epsilon = layer_norm_epsilon
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.transform = FlatDense(
            embeddings.embedding_size,
            activation=self.activation,
            kernel_initializer=clone_initializer(self.kernel_initializer),
            dtype=self.dtype_policy,
            name="transform",
        )
        self.layer_norm = LayerNorm(
            epsilon=layer_norm_epsilon, dtype="float32", name="layer_norm"
        )

    def build(self, sequence_output_shape, masked_lm_positions_shape=None):
        if not self.embeddings.built:
            self.embeddings.build(sequence_output_shape[:-1])
        self.transform.build(sequence_output_shape)
        self.layer_norm.build(
            self.transform.compute_output_shape(sequence_output_shape)
        )
        self.output_bias = self.add_weight(
            name="output_bias",
            shape=(self.embeddings.vocab_size,),
            initializer="zeros",
            autocast=False,
        )

    def call(self, sequence_output, masked_lm_positions=None):
        states = ops.cast(sequence_output, self.compute_dtype)
        if masked_lm_positions is not None:
            states = gather_positions(states, masked_lm_positions)  # [B, P, H]
        transformed = self.layer_norm(self.transform(states))
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
        return ops.cast(logits, "float32") + self.output_bias

    def compute_output_shape(
        self, sequence_output_shape, masked_lm_positions_shape=None
    ):
        rows = masked_lm_positions_shape or sequence_output_shape
        return (*rows[:2], self.embeddings.vocab_size)

    def compute_output_spec(self, sequence_output, masked_lm_positions=None):
        positions_shape = getattr(masked_lm_positions, "shape", None)
        shape = self.compute_output_shape(
            sequence_output.shape, positions_shape
        )
        return keras.KerasTensor(shape, dtype="float32")

    def get_config(self):
        return {
            **super().get_config(),
            "embeddings": keras.saving.serialize_keras_object(self.embeddings),
            "activation": keras.activations.serialize(self.activation),
            "layer_norm_epsilon": self.layer_norm_epsilon,
            "kernel_initializer": keras.initializers.serialize(
                self.kernel_initializer
            ),
        }

    @classmethod
    def from_config(cls, config):
        embeddings = keras.saving.deserialize_keras_object(config["embeddings"])
        return cls(**{**config, "embeddings": embeddings})
