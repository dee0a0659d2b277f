"""Transformer encoder block of BERT."""

import typing

import keras

from keras_bert import checks
from keras_bert.layers.activations import gelu_tanh
from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import EPSILON
from keras_bert.layers.arguments import Activation
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.attention.attention_patterns import Pattern
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.layers.blocks.feed_forward import FeedForward
from keras_bert.layers.blocks.post_norm_block import PostNormBlock


@keras.saving.register_keras_serializable("keras_bert")
class TransformerEncoderBlock(PostNormBlock):
    """Transformer encoder block of BERT.

    It is a `PostNormBlock` with `SelfAttention` and `FeedForward`.

    Args:
        hidden_size: size of the input and output vectors.
        num_heads: number of attention heads. Must divide `hidden_size`.
        intermediate_size: size of the hidden layer of the feed-forward network.
        activation: Keras activation of the feed-forward network. Defaults to
            the tanh GELU of google-research/bert.
        dropout: dropout rate applied to the output of both sublayers.
        attention_dropout: dropout rate applied to the attention weights.
        layer_norm_epsilon: small float added to the variance.
        kernel_initializer: Keras initializer for the kernels.
        pattern: attention pattern, see `SelfAttention`. None for all tokens.

    Call arguments:
        inputs: float `(batch_size, seq_length, hidden_size)`.
        attention_mask: int or bool `(batch_size, seq_length)`; 1 for tokens to
            attend to, 0 for tokens to ignore. Defaults to the Keras mask of the
            inputs, as set by `mask_zero`, or to all tokens.
        query_positions: int32 `(batch_size, num_queries)`, positions at which
            to compute the output. Defaults to all positions.

    Returns:
        float `(batch_size, num_queries, hidden_size)`. The output at tokens
        with mask 1 does not depend on tokens with mask 0.

    Example:

    >>> block = keras_bert.layers.TransformerEncoderBlock(
    ...     hidden_size=8, num_heads=2, intermediate_size=32
    ... )
    >>> block(keras.ops.ones((1, 4, 8)), keras.ops.ones((1, 4))).shape
    TensorShape([1, 4, 8])

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3
    """

    def __init__(
        self,
        hidden_size: int,
        num_heads: int,
        intermediate_size: int,
        activation: Activation = gelu_tanh,
        dropout: float = DROPOUT,
        attention_dropout: float = DROPOUT,
        layer_norm_epsilon: float = EPSILON,
        kernel_initializer: Initializer = None,
        pattern: Pattern | None = None,
        **kwargs: typing.Any,
    ):
        checks.at_least(1, intermediate_size=intermediate_size)
        checks.share(dropout=dropout, attention_dropout=attention_dropout)
        kernel_initializer = get_initializer(kernel_initializer)
        self_attention = SelfAttention(
            hidden_size,
            num_heads,
            dropout=attention_dropout,
            kernel_initializer=clone_initializer(kernel_initializer),
            output_dropout=dropout,
            pattern=pattern,
            dtype=kwargs.get("dtype"),
            name="self_attention",
        )
        feed_forward = FeedForward(
            hidden_size,
            intermediate_size,
            activation=activation,
            dropout=dropout,
            kernel_initializer=clone_initializer(kernel_initializer),
            dtype=kwargs.get("dtype"),
            name="feed_forward",
        )
        super().__init__(
            self_attention, feed_forward, layer_norm_epsilon, **kwargs
        )
