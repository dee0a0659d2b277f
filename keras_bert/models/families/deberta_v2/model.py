"""DeBERTa v2 and v3: disentangled attention with shared projections."""

import dataclasses

from keras_bert.layers.attention.disentangled_attention import (
    DisentangledAttention,
)
from keras_bert.layers.blocks.convolved_block import ConvolvedBlock
from keras_bert.layers.heads.replaced_token_head import NormedReplacedTokenHead
from keras_bert.models.families.deberta import model as deberta
from keras_bert.models.families.deberta_v2.config import DebertaV2Config
from keras_bert.models.heads import masked_lm_only
from keras_bert.models.layer_arguments import layer_arguments


def deberta_v2_backbone(config):
    """Build the layers of the encoder."""
    return deberta.make_backbone(
        config,
        config.position_buckets,
        deberta.layer_norm(config),
        [_block(config, index) for index in range(config.num_hidden_layers)],
    )


def _block(config, index):
    attention = DisentangledAttention(
        **layer_arguments(config)["attention"],
        num_buckets=config.position_buckets,
        max_distance=config.max_position_embeddings,
        output_dropout=config.hidden_dropout_prob,
        name="self_attention",
    )
    convolved = {}
    if config.conv_kernel_size and not index:
        convolved = {
            "block_class": ConvolvedBlock,
            "kernel_size": config.conv_kernel_size,
            "dropout": config.hidden_dropout_prob,
        }
    return deberta.make_block(config, index, attention, **convolved)


def deberta_v2_heads(config, embeddings):
    """Return a dict mapping part names to the two pre-training heads."""
    arguments, name = layer_arguments(config), "replaced_token_head"
    head = NormedReplacedTokenHead(
        config.hidden_size,
        config.layer_norm_eps,
        activation=arguments["feed_forward"]["activation"],
        **arguments["matrix"],
        name=name,
    )
    return {**masked_lm_only(config, embeddings), name: head}


FAMILY = dataclasses.replace(
    deberta.FAMILY,
    config=DebertaV2Config,
    backbone=deberta_v2_backbone,
    heads=deberta_v2_heads,
    paper="2111.09543",
    parts=("masked_lm_head", "replaced_token_head"),
    tokenizer="sentencepiece",
)
