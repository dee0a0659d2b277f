"""BigBird: BERT with block-sparse attention for long texts."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.config import EncoderConfig
from keras_bert.layers.attention.block_sparse_attention import RANDOM_BLOCKS
from keras_bert.layers.attention.block_sparse_attention import (
    BlockSparseAttention,
)
from keras_bert.layers.attention.self_attention import SelfAttention
from keras_bert.layers.blocks.feed_forward import FeedForward
from keras_bert.layers.blocks.feed_forward import ResidualFeedForward
from keras_bert.layers.blocks.post_norm_block import PostNormBlock
from keras_bert.layers.embeddings.bert_embeddings import BigBirdEmbeddings
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.models.backbone import Backbone
from keras_bert.models.families.bert.model import bert_heads
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import dense_transform
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.models.task_model import HeadKind

_SPARSE = "block_sparse"


@dataclasses.dataclass(frozen=True)
class BigBirdConfig(EncoderConfig):
    """Configuration of a BigBird model.

    Args:
        attention_type: "block_sparse", or "original_full" for full attention.
        block_size: number of tokens in a block.
        num_random_blocks: number of random blocks that a block attends to.
        random_blocks: "published" for the random blocks of the original
            implementation, or "transformers_eval" for the first block instead
            of each, as in transformers outside of training.
        **kwargs: the other keys of `BertConfig`, except `is_decoder`.

    References:
        [Big Bird](https://arxiv.org/abs/2007.14062), section 2
    """

    max_position_embeddings: int = 4096
    attention_type: Annotated[
        str, Check(checks.one_of, (_SPARSE, "original_full"))
    ] = _SPARSE
    block_size: int = 64
    num_random_blocks: int = 3
    random_blocks: Annotated[str, Check(checks.one_of, RANDOM_BLOCKS)] = (
        "published"
    )

    family = "BigBird"
    model_type = "big_bird"
    informative_keys = frozenset(("classifier_dropout",))
    required_values = {
        **EncoderConfig.required_values,
        "use_bias": True,
        "rescale_embeddings": False,
    }
    transformers_defaults = {"vocab_size": 50358}


def big_bird_backbone(config):
    """Build the layers of the encoder."""
    arguments = layer_arguments(config)
    return Backbone(
        BigBirdEmbeddings(**arguments["embeddings"], name="embeddings"),
        [_block(config, index) for index in range(config.num_hidden_layers)],
        pooler=FlatDense(**arguments["pooler"], name="pooler"),
    )


def _block(config, index):
    arguments, attention, sparse = layer_arguments(config), SelfAttention, {}
    if config.attention_type == _SPARSE:
        attention = BlockSparseAttention
        sparse = {
            "block_size": config.block_size,
            "num_random_blocks": config.num_random_blocks,
            "random_blocks": config.random_blocks,
            "seed": index,
            "max_positions": config.max_position_embeddings,
        }
    return PostNormBlock(
        attention(
            **arguments["attention"],
            **sparse,
            output_dropout=config.hidden_dropout_prob,
            name="self_attention",
        ),
        FeedForward(**arguments["feed_forward"], name="feed_forward"),
        config.layer_norm_eps,
        name=f"block_{index}",
    )


def _classifier_transform(config):
    activation = layer_arguments(config)["feed_forward"]["activation"]
    return dense_transform(config, config.hidden_dropout_prob, activation)


def _span_transform(config):
    return ResidualFeedForward(
        **layer_arguments(config)["feed_forward"],
        layer_norm_epsilon=config.layer_norm_eps,
        name="feed_forward",
    )


FAMILY = Family(
    config=BigBirdConfig,
    backbone=big_bird_backbone,
    heads=bert_heads,
    paper="2007.14062",
    parts=("pooler", "masked_lm_head", "nsp_head"),
    task_heads={
        **TASK_HEADS,
        "classifier": HeadKind("first_token", transform=_classifier_transform),
        "span_classifier": HeadKind(
            "sequence_output", dropout=0.0, transform=_span_transform
        ),
    },
    tokenizer="sentencepiece",
    published_keys={"bos_token_id": 1, "eos_token_id": 2, "sep_token_id": 66},
)
