"""Config keys as arguments of layers."""

import keras

from keras_bert.layers.activations import get_activation
from keras_bert.layers.attention_patterns import causal


def layer_arguments(config):
    """Turns a config into the arguments of layers.

    Args:
        config: a config of any family.

    Returns:
        A dict of arguments by the layer that takes them: "embeddings",
        "attention", "feed_forward", "block" (BERT's, of these two), "pooler",
        "masked_lm_head" and, for all else with a matrix, "matrix".
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


def initializer(config):
    """Makes the initializer of the matrices of a config."""
    return keras.initializers.TruncatedNormal(stddev=config.initializer_range)
