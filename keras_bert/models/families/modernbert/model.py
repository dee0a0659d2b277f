"""ModernBERT: rotary positions, sliding windows, gated feed-forward layers."""

import keras

from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.activations import get_activation
from keras_bert.layers.attention.attention_patterns import Window
from keras_bert.layers.attention.rotary import Rotary
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.layers.blocks.gated_feed_forward import GatedFeedForward
from keras_bert.layers.blocks.pre_norm_block import PreNormBlock
from keras_bert.layers.embeddings.token_embeddings import WordEmbeddings
from keras_bert.layers.flat_dense import NormedDense
from keras_bert.layers.heads.task_head import TaskHead
from keras_bert.layers.heads.tied_head import TiedHead
from keras_bert.layers.layer_norm import UnshiftedLayerNorm
from keras_bert.models.backbone import Backbone
from keras_bert.models.families.modernbert.config import ModernBertConfig
from keras_bert.models.family import Family
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


def modernbert_backbone(config):
    """Build the layers of the encoder."""
    return Backbone(
        WordEmbeddings(
            config.vocab_size,
            config.hidden_size,
            _layer_norm(config, "layer_norm"),
            dropout=config.embedding_dropout,
            embeddings_initializer=_normal(config.initializer_range),
            name="embeddings",
        ),
        [_block(config, index) for index in range(config.num_hidden_layers)],
        final_norm=_layer_norm(config, "final_norm"),
    )


def _block(config, index):
    is_global = index % config.global_attn_every_n_layers == 0
    initializer = _normal(config.initializer_range)
    attention = SelfAttention(
        config.hidden_size,
        config.num_attention_heads,
        dropout=config.attention_dropout,
        kernel_initializer=initializer,
        output_dropout=config.attention_dropout,
        pattern=None if is_global else Window(config.local_attention // 2),
        use_bias=False,
        rotary=Rotary(
            config.global_rope_theta if is_global else config.local_rope_theta
        ),
        name="self_attention",
    )
    feed_forward = GatedFeedForward(
        config.hidden_size,
        config.intermediate_size,
        activation=get_activation(config.hidden_activation),
        dropout=config.mlp_dropout,
        kernel_initializer=initializer,
        name="feed_forward",
    )
    for layer in (attention.attention_output, feed_forward.feed_forward_output):
        layer.kernel_initializer = _narrow_normal(config)
    return PreNormBlock(
        attention,
        feed_forward,
        _layer_norm(config, "feed_forward_layer_norm"),
        # The input of the first block is already normalized.
        _layer_norm(config, "attention_layer_norm") if index else None,
        name=f"block_{index}",
    )


def modernbert_heads(config, embeddings):
    """Return a dict mapping the part name to the masked-LM head."""
    name = "masked_lm_head"
    return {name: TiedHead(embeddings, _transform(config), name=name)}


class _TransformingHead(HeadKind):
    """Head with ModernBERT's transform, initialized as in transformers."""

    def layer(self, config, num_outputs, name):
        return TaskHead(
            num_outputs,
            transform=_transform(config),
            dropout=config.classifier_dropout,
            kernel_initializer=_normal(config.hidden_size**-0.5),
            name=name,
        )


def _transform(config):
    return NormedDense(
        config.hidden_size,
        _layer_norm(config, "layer_norm"),
        activation=gelu_erf,
        use_bias=False,
        kernel_initializer=_narrow_normal(config),
        name="transform",
    )


def _layer_norm(config, name):
    return UnshiftedLayerNorm(config.norm_eps, dtype="float32", name=name)


def _narrow_normal(config):
    # The initial scale of sublayer outputs decreases with the depth.
    return _normal(
        config.initializer_range * (2 * config.num_hidden_layers) ** -0.5
    )


def _normal(stddev):
    return keras.initializers.TruncatedNormal(stddev=stddev)


def _reads(config):
    return "mean" if config.classifier_pooling == "mean" else "first_token"


FAMILY = Family(
    config=ModernBertConfig,
    backbone=modernbert_backbone,
    heads=modernbert_heads,
    paper="2412.13663",
    parts=("masked_lm_head",),
    task_heads={
        "classifier": _TransformingHead(_reads),
        "token_classifier": _TransformingHead("sequence_output"),
        "choice_scorer": _TransformingHead(_reads),
        "span_classifier": _TransformingHead("sequence_output"),
    },
    template=Template(pair="cls A sep B sep", segments=False),
    tokenizer="byte_bpe",
    published_keys={"classifier_activation": "gelu"},
)
