"""Masked language modeling head of BERT."""

import typing

import keras

from keras_bert.layers.activations import gelu_tanh
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import Activation
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.heads.tied_head import TiedHead
from keras_bert.layers.layer_norm import LayerNorm


@keras.saving.register_keras_serializable("keras_bert")
class MaskedLMHead(TiedHead):
    """Masked-LM head of BERT: dense layer, activation, LayerNorm, tied logits.

    Args:
        embeddings: layer of the same model with the word embeddings, as in
            `LMHead`. The transform maps `hidden_size` to `embedding_size`.
        activation: Keras activation of the transform.
        layer_norm_epsilon: small float added to the variance.
        kernel_initializer: Keras initializer for the transform.

    Call arguments:
        sequence_output: float `(batch_size, seq_length, hidden_size)`.
        masked_lm_positions: int32 `(batch_size, num_predictions)`, positions to
            predict, counted from 0. Defaults to all positions.

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
        embeddings: keras.layers.Layer,
        activation: Activation = gelu_tanh,
        layer_norm_epsilon: float = EPSILON,
        kernel_initializer: Initializer = None,
        **kwargs: typing.Any,
    ):
        kernel_initializer = get_initializer(kernel_initializer)
        transform = FlatDense(
            embeddings.embedding_size,
            activation=activation,
            kernel_initializer=clone_initializer(kernel_initializer),
            dtype=kwargs.get("dtype"),
            name="transform",
        )
        super().__init__(embeddings, transform, **kwargs)
        self.layer_norm = LayerNorm(
            epsilon=layer_norm_epsilon, dtype="float32", name="layer_norm"
        )

    def build(self, sequence_output_shape: Shape) -> None:
        super().build(sequence_output_shape)
        self.layer_norm.build(
            self.transform.compute_output_shape(sequence_output_shape)
        )

    def _transformed(self, states):
        return self.layer_norm(super()._transformed(states))
