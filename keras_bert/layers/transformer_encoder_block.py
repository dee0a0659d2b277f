"""One layer of a BERT encoder."""

import keras
from keras import ops

from keras_bert.layers.activations import gelu_tanh
from keras_bert.layers.arguments import check_positive
from keras_bert.layers.arguments import check_rates
from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.layers.positions import gather_positions
from keras_bert.layers.self_attention import SelfAttention


@keras.saving.register_keras_serializable("keras_bert")
class TransformerEncoderBlock(keras.layers.Layer):
    """Self-attention, then a feed-forward net, each added and normalized.

    The normalization comes after the sum ("post-norm") and is computed in
    float32.

    Args:
        hidden_size: int, width of the inputs and of the output.
        num_heads: int, must divide `hidden_size`.
        intermediate_size: int, width inside the feed-forward net.
        activation: Keras activation of the feed-forward net; the tanh GELU
            of google-research/bert by default.
        dropout: float, rate on the output of both sublayers.
        attention_dropout: float, rate on the attention weights.
        layer_norm_epsilon: float, added to the variance.
        kernel_initializer: Keras initializer of the matrices.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 attends to
            the token, 0 does not. Without it, all are attended to.
        query_positions: int32 `(batch_size, num_queries)`, the positions to
            compute the output at. Without it, at all of them.

    Returns:
        float `(batch_size, num_queries, hidden_size)`. At tokens with mask 1
        it does not depend on what stands at tokens with mask 0.

    Example:

    >>> block = keras_bert.layers.TransformerEncoderBlock(
    ...     hidden_size=8, num_heads=2, intermediate_size=32
    ... )
    >>> block(keras.ops.ones((1, 4, 8)), keras.ops.ones((1, 4))).shape
    TensorShape([1, 4, 8])

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3;
        [Attention Is All You Need](https://arxiv.org/abs/1706.03762),
        section 3.1
    """

    attention_class = SelfAttention

    def __init__(
        self,
        hidden_size,
        num_heads,
        intermediate_size,
        activation=gelu_tanh,
        dropout=0.1,
        attention_dropout=0.1,
        layer_norm_epsilon=1e-12,
        kernel_initializer=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_positive(intermediate_size=intermediate_size)
        check_rates(dropout=dropout, attention_dropout=attention_dropout)
        self.hidden_size = hidden_size
        self.num_heads = num_heads
        self.intermediate_size = intermediate_size
        self.activation = keras.activations.get(activation)
        self.dropout = dropout
        self.attention_dropout = attention_dropout
        self.layer_norm_epsilon = layer_norm_epsilon
        self.kernel_initializer = keras.initializers.get(
            kernel_initializer
            or keras.initializers.TruncatedNormal(stddev=0.02)
        )
        self.self_attention = self.attention_class(
            hidden_size,
            num_heads,
            dropout=attention_dropout,
            kernel_initializer=clone_initializer(self.kernel_initializer),
            dtype=self.dtype_policy,
            name="self_attention",
        )
        self.attention_layer_norm = self._layer_norm("attention_layer_norm")
        self.intermediate = self._dense(
            intermediate_size, "intermediate", activation=self.activation
        )
        self.feed_forward_output = self._dense(
            hidden_size, "feed_forward_output"
        )
        self.output_layer_norm = self._layer_norm("output_layer_norm")
        self.output_dropout = Dropout(
            dropout, dtype=self.dtype_policy, name="dropout"
        )

    def _dense(self, units, name, activation=None):
        return FlatDense(
            units,
            activation=activation,
            kernel_initializer=clone_initializer(self.kernel_initializer),
            dtype=self.dtype_policy,
            name=name,
        )

    def _layer_norm(self, name):
        return LayerNorm(
            epsilon=self.layer_norm_epsilon, dtype="float32", name=name
        )

    def build(
        self,
        inputs_shape,
        attention_mask_shape=None,
        query_positions_shape=None,
    ):
        self.self_attention.build(
            inputs_shape, attention_mask_shape, query_positions_shape
        )
        self.attention_layer_norm.build(inputs_shape)
        self.intermediate.build(inputs_shape)
        self.feed_forward_output.build(
            (*inputs_shape[:-1], self.intermediate_size)
        )
        self.output_layer_norm.build(inputs_shape)
        self.output_dropout.build(inputs_shape)

    def call(
        self,
        inputs,
        attention_mask=None,
        query_positions=None,
        training=None,
    ):
        attended = self.self_attention(
            inputs, attention_mask, query_positions, training=training
        )
        if query_positions is not None:
            inputs = gather_positions(inputs, query_positions)
        attended = self.output_dropout(attended, training=training)
        hidden = self._normalize(self.attention_layer_norm, inputs + attended)
        output = self.feed_forward_output(self.intermediate(hidden))
        output = self.output_dropout(output, training=training)
        return self._normalize(self.output_layer_norm, hidden + output)

    def _normalize(self, layer_norm, inputs):
        return ops.cast(layer_norm(inputs), self.compute_dtype)

    def compute_output_shape(
        self,
        inputs_shape,
        attention_mask_shape=None,
        query_positions_shape=None,
    ):
        return self.self_attention.compute_output_shape(
            inputs_shape, attention_mask_shape, query_positions_shape
        )

    def get_config(self):
        return {
            **super().get_config(),
            "hidden_size": self.hidden_size,
            "num_heads": self.num_heads,
            "intermediate_size": self.intermediate_size,
            "activation": keras.activations.serialize(self.activation),
            "dropout": self.dropout,
            "attention_dropout": self.attention_dropout,
            "layer_norm_epsilon": self.layer_norm_epsilon,
            "kernel_initializer": keras.initializers.serialize(
                self.kernel_initializer
            ),
        }
