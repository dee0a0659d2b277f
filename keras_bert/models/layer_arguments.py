"""Conversion of configs to layer arguments."""

import typing

import keras

from keras_bert.config import StrictConfig
from keras_bert.layers.activations import get_activation
from keras_bert.layers.arguments import Activation
from keras_bert.layers.attention.attention_patterns import causal
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.layers.attention.sliding_window_attention import (
    SlidingWindowAttention,
)
from keras_bert.layers.blocks.feed_forward import FeedForward
from keras_bert.layers.blocks.post_norm_block import PostNormBlock
from keras_bert.layers.blocks.transformer_encoder_block import (
    TransformerEncoderBlock,
)
from keras_bert.layers.flat_dense import DropoutDense
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.models.backbone import Backbone


def layer_arguments(config: StrictConfig) -> dict[str, dict[str, typing.Any]]:
    """Convert a config to layer arguments.

    Args:
        config: config of any family.

    Returns:
        A dict mapping layer names to dicts of arguments: "embeddings",
        "attention", "feed_forward", "block" (for `TransformerEncoderBlock`),
        "pooler", "masked_lm_head", and "matrix" for other layers with a kernel.
    """
    sizes = config.sizes
    dropout, attention_dropout, _ = config.dropouts
    activation = get_activation(getattr(config, config.activation_key))
    hidden_size = {"hidden_size": sizes["H"]}
    matrix = {"kernel_initializer": initializer(config)}
    layer_norm = {"layer_norm_epsilon": config.layer_norm_eps}
    embeddings = {
        "vocab_size": sizes["V"],
        **hidden_size,
        "max_position_embeddings": sizes["P"],
        "dropout": dropout,
        **layer_norm,
        "embeddings_initializer": initializer(config),
    }
    if "S" in sizes:
        embeddings["type_vocab_size"] = sizes["S"]
    attention = {**hidden_size, "num_heads": sizes["N"], **matrix}
    feed_forward = {
        **hidden_size,
        "intermediate_size": sizes["I"],
        "activation": activation,
        "dropout": dropout,
        **matrix,
    }
    return {
        "embeddings": embeddings,
        "attention": {**attention, "dropout": attention_dropout},
        "feed_forward": feed_forward,
        "block": {
            **attention,
            **feed_forward,
            **layer_norm,
            "attention_dropout": attention_dropout,
            "pattern": causal if config.is_decoder else None,
        },
        "pooler": {"units": sizes["H"], "activation": "tanh", **matrix},
        "masked_lm_head": {"activation": activation, **layer_norm, **matrix},
        "matrix": matrix,
    }


def initializer(config: StrictConfig) -> keras.initializers.Initializer:
    """Return the kernel initializer for a config."""
    return keras.initializers.TruncatedNormal(stddev=config.initializer_range)


def transformer_backbone(
    config: StrictConfig,
    arguments: dict[str, dict[str, typing.Any]],
    embeddings: keras.layers.Layer,
    pools: bool = True,
    **pieces: typing.Any,
) -> Backbone:
    """Create a `Backbone` with BERT's blocks.

    Args:
        config: config of any family.
        arguments: result of `layer_arguments`.
        embeddings: embedding layer.
        pools: whether to add a pooler.
        **pieces: other arguments of `Backbone`.
    """
    blocks = [
        encoder_block(arguments, window, f"block_{index}")
        for index, window in enumerate(config.windows)
    ]
    pooler = FlatDense(**arguments["pooler"], name="pooler") if pools else None
    return Backbone(embeddings, blocks, pooler=pooler, **pieces)


def encoder_block(
    arguments: dict[str, dict[str, typing.Any]], window: int, name: str
) -> PostNormBlock:
    """Create a BERT block, with a sliding window unless `window` is 0.

    Args:
        arguments: result of `layer_arguments`.
        window: argument of `SlidingWindowAttention`, or 0.
        name: name of the layer.
    """
    block = arguments["block"]
    if not window:
        return TransformerEncoderBlock(**block, name=name)
    return PostNormBlock(
        self_attention(
            window, **arguments["attention"], output_dropout=block["dropout"]
        ),
        FeedForward(**arguments["feed_forward"], name="feed_forward"),
        block["layer_norm_epsilon"],
        name=name,
    )


def self_attention(window: int, **arguments: typing.Any) -> SelfAttention:
    """Create self-attention, with a sliding window unless `window` is 0."""
    arguments["name"] = "self_attention"
    if not window:
        return SelfAttention(**arguments)
    return SlidingWindowAttention(**arguments, window=window)


def dense_transform(
    config: StrictConfig, dropout: float = 0.0, activation: Activation = "tanh"
) -> DropoutDense:
    """Create the dense layer that replaces BERT's pooler in a head."""
    arguments = {**layer_arguments(config)["pooler"], "activation": activation}
    return DropoutDense(dropout=dropout, **arguments, name="dense")
