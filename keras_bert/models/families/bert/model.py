"""BERT: encoder, pre-training heads and family definition."""

import keras

from keras_bert.config import BertConfig
from keras_bert.layers.activations import get_activation
from keras_bert.layers.attention.attention_patterns import causal
from keras_bert.layers.blocks.post_norm_block import PostNormBlock
from keras_bert.layers.blocks.transformer_encoder_block import (
    TransformerEncoderBlock,
)
from keras_bert.layers.embeddings.bert_embeddings import BertEmbeddings
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.heads.masked_lm_head import MaskedLMHead
from keras_bert.layers.heads.nsp_head import NSPHead
from keras_bert.models.backbone import Backbone
from keras_bert.models.family import Family
from keras_bert.models.heads import add_heads
from keras_bert.models.layer_arguments import encoder_block
from keras_bert.models.layer_arguments import layer_arguments


def bert_encoder(config: BertConfig, name: str = "bert_encoder") -> keras.Model:
    """Build the encoder of BERT.

    Args:
        config: configuration of the model.
        name: name of the model.

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
    return bert_backbone(config).encoder(name)


def bert_pretrainer(
    config: BertConfig, name: str = "bert_pretrainer"
) -> keras.Model:
    """Build a BERT encoder with masked-LM and next-sentence heads.

    Args:
        config: configuration of the model.
        name: name of the model.

    Returns:
        A functional `keras.Model`. It takes the encoder's inputs and
        `masked_lm_positions`, int32 `(batch_size, num_predictions)`, and
        returns a dict of `mlm_logits`, float32
        `(batch_size, num_predictions, vocab_size)`, and `nsp_logits`,
        float32 `(batch_size, 2)`.

    Example:

    >>> config = keras_bert.BertConfig.from_json("configs/bert_tiny.json")
    >>> keras_bert.models.bert_pretrainer(config).count_params()
    4433468

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1
    """
    backbone = bert_backbone(config)
    return add_heads(backbone, bert_heads(config, backbone.embeddings), name)


def add_pretraining_heads(
    encoder: keras.Model, config: BertConfig, name: str = "bert_pretrainer"
) -> keras.Model:
    """Add the pre-training heads to an encoder, sharing its layers.

    Args:
        encoder: model returned by `bert_encoder(config)`.
        config: configuration of the encoder.
        name: name of the new model.

    Returns:
        A functional `keras.Model`, see `bert_pretrainer`.
    """
    blocks = [f"block_{index}" for index in range(config.num_hidden_layers)]
    backbone = Backbone(
        encoder.get_layer("embeddings"),
        [encoder.get_layer(block) for block in blocks],
        pooler=encoder.get_layer("pooler"),
        inputs=encoder.input,
    )
    return add_heads(backbone, bert_heads(config, backbone.embeddings), name)


def bert_backbone(config: BertConfig) -> Backbone:
    """Build the layers of the encoder (sections 3 and A.1).

    Args:
        config: configuration of the encoder.
    """
    initializer = _initializer(config)  # Of all kernels.
    embeddings = BertEmbeddings(
        config.vocab_size,
        config.hidden_size,
        max_position_embeddings=config.max_position_embeddings,
        type_vocab_size=config.type_vocab_size,
        dropout=config.hidden_dropout_prob,
        layer_norm_epsilon=config.layer_norm_eps,
        embeddings_initializer=_initializer(config),
        name="embeddings",
    )  # int32 [B, S] -> [B, S, H]
    blocks = [
        _block(config, window, initializer, f"block_{index}")
        for index, window in enumerate(config.windows)
    ]  # [B, S, H] -> [B, S, H]
    pooler = FlatDense(
        config.hidden_size,
        activation="tanh",
        kernel_initializer=initializer,
        name="pooler",
    )  # The vector of [CLS]: [B, H] -> [B, H]
    return Backbone(embeddings, blocks, pooler=pooler)


def _block(
    config: BertConfig,
    window: int,
    initializer: keras.initializers.Initializer,
    name: str,
) -> PostNormBlock:
    """Create a block; only long models have a window other than 0."""
    if window:
        return encoder_block(layer_arguments(config), window, name)
    return TransformerEncoderBlock(
        config.hidden_size,
        config.num_attention_heads,
        config.intermediate_size,
        activation=get_activation(config.hidden_act),
        dropout=config.hidden_dropout_prob,
        attention_dropout=config.attention_probs_dropout_prob,
        layer_norm_epsilon=config.layer_norm_eps,
        kernel_initializer=initializer,
        # A decoder attends to earlier tokens only.
        pattern=causal if config.is_decoder else None,
        name=name,
    )


def bert_heads(
    config: BertConfig, embeddings: keras.layers.Layer
) -> dict[str, keras.layers.Layer]:
    """Create the pre-training heads (section 3.1).

    Args:
        config: configuration of the encoder.
        embeddings: layer that shares its word embeddings with the masked-LM
            head.

    Returns:
        A dict mapping part names to layers.
    """
    initializer = _initializer(config)
    return {
        "masked_lm_head": MaskedLMHead(
            embeddings,
            activation=get_activation(config.hidden_act),
            layer_norm_epsilon=config.layer_norm_eps,
            kernel_initializer=initializer,
            name="masked_lm_head",
        ),  # [B, P, H] -> [B, P, V]
        "nsp_head": NSPHead(
            kernel_initializer=initializer, name="nsp_head"
        ),  # [B, H] -> [B, 2]
    }


def _initializer(config: BertConfig) -> keras.initializers.Initializer:
    return keras.initializers.TruncatedNormal(stddev=config.initializer_range)


FAMILY = Family(
    config=BertConfig,
    backbone=bert_backbone,
    heads=bert_heads,
    paper="1810.04805",
    parts=("pooler", "masked_lm_head", "nsp_head"),
)
