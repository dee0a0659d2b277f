"""XLNet: relative positions and a second attention stream for predictions."""

import keras

from keras_bert import features
from keras_bert.layers.attention.relative_attention import RelativeAttention
from keras_bert.layers.blocks.feed_forward import FeedForward
from keras_bert.layers.blocks.post_norm_block import PostNormBlock
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.embeddings.two_stream_embeddings import QueryStart
from keras_bert.layers.embeddings.two_stream_embeddings import (
    TwoStreamEmbeddings,
)
from keras_bert.layers.heads.tied_head import TiedHead
from keras_bert.models.backbone import encoder_inputs
from keras_bert.models.families.xlnet.config import XLNetConfig
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import dense_transform
from keras_bert.models.layer_arguments import initializer
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.task_model import HeadKind
from keras_bert.models.two_streams import TwoStreamBackbone
from keras_bert.template import Template


def xlnet_backbone(config):
    """Build the layers of the encoder."""
    embeddings = TwoStreamEmbeddings(
        config.vocab_size,
        config.d_model,
        dropout=config.dropout,
        embeddings_initializer=initializer(config),
        name="embeddings",
    )
    return TwoStreamBackbone(
        embeddings,
        [_block(config, index) for index in range(config.n_layer)],
        final_norm=Dropout(config.dropout, name="final_dropout"),
        inputs=encoder_inputs(),
        context=lambda inputs: {
            "segment_ids": inputs[features.SEGMENT_IDS.name]
        },
        mask_queries=QueryStart(embeddings, name="mask_queries"),
    )


def _block(config, index):
    arguments = layer_arguments(config)
    attention = RelativeAttention(
        **arguments["attention"],
        output_dropout=config.dropout,
        name="self_attention",
    )
    feed_forward = FeedForward(**arguments["feed_forward"], name="feed_forward")
    return PostNormBlock(
        attention,
        feed_forward,
        layer_norm_epsilon=config.layer_norm_eps,
        name=f"block_{index}",
    )


def xlnet_heads(config, embeddings):
    """Return a dict mapping a part name to the language modeling head."""
    transform = keras.layers.Identity(name="transform")
    head = TiedHead(embeddings, transform, name="masked_lm_head")
    return {"masked_lm_head": head}


_LAST_TOKEN = HeadKind("last_token", transform=dense_transform)

FAMILY = Family(
    config=XLNetConfig,
    backbone=xlnet_backbone,
    paper="1906.08237",
    heads=xlnet_heads,
    parts=("masked_lm_head",),
    task_heads={
        "classifier": _LAST_TOKEN,
        "token_classifier": HeadKind("sequence_output", dropout=0.0),
        "choice_scorer": _LAST_TOKEN,
        "span_classifier": HeadKind(
            "sequence_output",
            dropout=0.0,
            template=Template("A sep cls:2", "B sep A:1 sep:1 cls:2"),
            published_class="ForQuestionAnsweringSimple",
        ),
    },
    template=Template("A sep cls:2", "A sep B:1 sep:1 cls:2"),
    tokenizer="sentencepiece",
    masked_lm_class="LMHeadModel",
)
