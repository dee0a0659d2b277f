"""DeBERTa, wired from layers: content and distance scored apart."""

from keras_bert import features
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.feed_forward import FeedForward
from keras_bert.layers.layer_norm import LayerNorm
from keras_bert.layers.mask_queries import MaskQueries
from keras_bert.layers.post_norm_block import PostNormBlock
from keras_bert.layers.relative_table import RelativeTable
from keras_bert.layers.separate_disentangled_attention import (
    SeparateDisentangledAttention,
)
from keras_bert.layers.word_embeddings import WordEmbeddings
from keras_bert.models.backbone import Backbone
from keras_bert.models.families.deberta.config import DebertaConfig
from keras_bert.models.family import Family
from keras_bert.models.layer_arguments import dense_transform
from keras_bert.models.layer_arguments import initializer
from keras_bert.models.layer_arguments import layer_arguments
from keras_bert.models.task_model import TASK_HEADS
from keras_bert.models.task_model import HeadKind
from keras_bert.template import Template


def deberta_backbone(config):
    """Build the layers of the encoder."""
    blocks = []
    for index in range(config.num_hidden_layers):
        attention = SeparateDisentangledAttention(
            **layer_arguments(config)["attention"],
            max_distance=config.max_position_embeddings,
            output_dropout=config.hidden_dropout_prob,
            name="self_attention",
        )
        blocks.append(block_of(config, index, attention))
    return backbone_of(config, config.max_position_embeddings, None, blocks)


def backbone_of(config, num_distances, table_norm, blocks):
    """Makes the backbone of blocks that share one table of distances.

    Args:
        config: `DebertaConfig`.
        num_distances: int, rows of the table in each direction.
        table_norm: layer that normalizes it, or None.
        blocks: list of the blocks.
    """
    table = RelativeTable(
        2 * num_distances,
        config.hidden_size,
        table_norm,
        embeddings_initializer=initializer(config),
        name="relative_positions",
    )
    num_positions = mask_queries = None
    if config.enhanced_mask_decoder:
        num_positions = config.max_position_embeddings
    embeddings = WordEmbeddings(
        config.vocab_size,
        config.hidden_size,
        layer_norm(config),
        dropout=config.hidden_dropout_prob,
        embeddings_initializer=initializer(config),
        max_position_embeddings=num_positions,
        name="embeddings",
    )
    if num_positions:
        mask_queries = MaskQueries(embeddings, name="mask_queries")
    return Backbone(
        embeddings,
        blocks,
        context=lambda inputs: {
            "relative_table": table(inputs[features.INPUT_IDS.name])
        },
        context_layers=[table],
        mask_queries=mask_queries,
    )


def layer_norm(config):
    """Makes the layer that normalizes a table or what is looked up."""
    return LayerNorm(config.layer_norm_eps, dtype="float32", name="layer_norm")


def block_of(config, index, attention, kind=PostNormBlock, **more):
    """Makes a block, of a class and with more arguments of it."""
    arguments = layer_arguments(config)["feed_forward"]
    feed_forward = FeedForward(**arguments, name="feed_forward")
    more |= {"layer_norm_epsilon": config.layer_norm_eps}
    return kind(attention, feed_forward, name=f"block_{index}", **more)


def _transform(config):
    return dense_transform(config, config.pooler_dropout, gelu_erf)


_OF_FIRST = HeadKind("first_token", transform=_transform)
FAMILY = Family(
    config=DebertaConfig,
    backbone=deberta_backbone,
    paper="2006.03654",
    parts=("masked_lm_head",),
    task_heads={
        **TASK_HEADS,
        "classifier": _OF_FIRST,
        "choice_scorer": _OF_FIRST,
    },
    template=Template(pair="cls A sep B sep", segments=False),
    tokenizer="byte_bpe",
    # The head that was published, which is not that of its first release.
    published_keys={"legacy": False},
)
