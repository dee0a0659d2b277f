"""The Transformer encoder: the one place where config meets layers."""

import keras

from keras_bert import features
from keras_bert.layers.activations import gelu_tanh
from keras_bert.layers.bert_embeddings import BertEmbeddings
from keras_bert.layers.causal import CausalTransformerBlock
from keras_bert.layers.transformer_encoder_block import TransformerEncoderBlock

_ACTIVATIONS = {"gelu_tanh": gelu_tanh, "gelu_erf": keras.activations.gelu}


def bert_encoder(config, name="bert_encoder"):
    """Builds the encoder that all of BERT's models share.

    Args:
        config: a `BertConfig`.
        name: str, name of the model.

    Returns:
        A functional `keras.Model`. It takes a dict of int32
        `(batch_size, seq_length)` tensors `input_ids`, `input_mask` (1 at
        tokens, 0 at padding) and `segment_ids`, and returns a dict of
        `sequence_output`, float `(batch_size, seq_length, hidden_size)`, and
        `pooled_output`, float `(batch_size, hidden_size)`.

    Example:

    >>> config = keras_bert.BertConfig.from_json("configs/bert_tiny.json")
    >>> keras_bert.models.bert_encoder(config).count_params()
    4385920

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3
    """
    inputs = {
        feature.name: keras.Input((None,), dtype="int32", name=feature.name)
        for feature in features.ENCODER_INPUTS
    }
    hidden = BertEmbeddings(
        vocab_size=config.vocab_size,
        hidden_size=config.hidden_size,
        max_position_embeddings=config.max_position_embeddings,
        type_vocab_size=config.type_vocab_size,
        dropout=config.hidden_dropout_prob,
        layer_norm_epsilon=config.layer_norm_eps,
        embeddings_initializer=initializer(config),
        name="embeddings",
    )(inputs["input_ids"], inputs["segment_ids"])
    block_class = (
        CausalTransformerBlock if config.is_decoder else TransformerEncoderBlock
    )
    for index in range(config.num_hidden_layers):
        hidden = block_class(
            hidden_size=config.hidden_size,
            num_heads=config.num_attention_heads,
            intermediate_size=config.intermediate_size,
            activation=activation(config),
            dropout=config.hidden_dropout_prob,
            attention_dropout=config.attention_probs_dropout_prob,
            layer_norm_epsilon=config.layer_norm_eps,
            kernel_initializer=initializer(config),
            name=f"block_{index}",
        )(hidden, inputs["input_mask"])
    pooled = keras.layers.Dense(
        config.hidden_size,
        activation="tanh",
        kernel_initializer=initializer(config),
        name="pooler",
    )(hidden[:, 0])
    outputs = {"sequence_output": hidden, "pooled_output": pooled}
    return keras.Model(inputs, outputs, name=name)


def initializer(config):
    """A fresh initializer of the config's standard deviation."""
    return keras.initializers.TruncatedNormal(stddev=config.initializer_range)


def activation(config):
    """The Keras activation that `hidden_act` names."""
    return keras.activations.get(
        _ACTIVATIONS.get(config.hidden_act, config.hidden_act)
    )
