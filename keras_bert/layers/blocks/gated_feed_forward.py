"""Gated feed-forward network (GLU), as in ModernBERT."""

import keras
from keras import ops

from keras_bert.layers.activations import inference_activation
from keras_bert.layers.blocks.feed_forward import FeedForward
from keras_bert.layers.flat_dense import make_dense
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class GatedFeedForward(FeedForward):
    """Feed-forward network with a gated linear unit (GLU) and no biases.

    The first dense layer outputs values and an equal number of gates. The
    activated values are multiplied by the gates.

    Args:
        hidden_size: size of the input and output vectors.
        intermediate_size: size of the gated hidden layer.
        activation: Keras activation. `keras_bert.layers.gelu_erf` gives a
            GeGLU.
        dropout: dropout rate applied to the gated values.
        kernel_initializer: Keras initializer for the kernels.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.

    Returns:
        float `(batch_size, seq_length, hidden_size)`.

    Example:

    >>> feed_forward = keras_bert.layers.GatedFeedForward(8, 32)
    >>> feed_forward(keras.ops.ones((1, 4, 8))).shape
    TensorShape([1, 4, 8])

    References:
        [GLU Variants Improve Transformer](https://arxiv.org/abs/2002.05202),
        section 2
    """

    def _add_dense_layers(self):
        self.intermediate = make_dense(
            self, 2 * self.intermediate_size, "intermediate", use_bias=False
        )
        self.feed_forward_output = make_dense(
            self, self.hidden_size, "feed_forward_output", use_bias=False
        )

    def call(self, inputs: Tensor, training: bool | None = None) -> Tensor:
        gated = self.inner(self.intermediate(inputs), training)
        dropped = self.output_dropout(gated, training=training)
        return self.feed_forward_output(dropped)

    def inner(self, outputs: Tensor, training: bool | None = None) -> Tensor:
        """Compute the gated values, see `FeedForward.inner`."""
        activation = self.activation
        if not training:
            activation = inference_activation(activation)
        values, gates = ops.split(outputs, 2, axis=-1)
        return activation(values) * gates
