"""Configs with the keys of BERT in the words of the layers."""

import keras

from keras_bert.layers.activations import get_activation
from keras_bert.layers.attention_patterns import causal


def bert_words(config):
    """What the layers of BERT, and of relatives with its keys, are made of.

    Args:
        config: `BertConfig`, or a config with the same keys.

    Returns:
        A dict of arguments by what they are for: "embeddings", "block",
        "pooler", "masked_lm_head", "task_head" and, of all else with a
        matrix, "matrix".
    """
    initializer = keras.initializers.TruncatedNormal(
        stddev=config.initializer_range
    )
    activation = get_activation(config.hidden_act)
    return {
        "embeddings": {
            "vocab_size": config.vocab_size,
            "hidden_size": config.hidden_size,
            "max_position_embeddings": config.max_position_embeddings,
            "type_vocab_size": config.type_vocab_size,
            "dropout": config.hidden_dropout_prob,
            "layer_norm_epsilon": config.layer_norm_eps,
            "embeddings_initializer": initializer,
        },
        "block": {
            "hidden_size": config.hidden_size,
            "num_heads": config.num_attention_heads,
            "intermediate_size": config.intermediate_size,
            "activation": activation,
            "dropout": config.hidden_dropout_prob,
            "attention_dropout": config.attention_probs_dropout_prob,
            "layer_norm_epsilon": config.layer_norm_eps,
            "kernel_initializer": initializer,
            "pattern": causal if config.is_decoder else None,
        },
        "pooler": {
            "units": config.hidden_size,
            "activation": "tanh",
            "kernel_initializer": initializer,
        },
        "masked_lm_head": {
            "activation": activation,
            "layer_norm_epsilon": config.layer_norm_eps,
            "kernel_initializer": initializer,
        },
        "task_head": {
            "dropout": config.hidden_dropout_prob,
            "kernel_initializer": initializer,
        },
        "matrix": {"kernel_initializer": initializer},
    }
