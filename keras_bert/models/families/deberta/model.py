"""DeBERTa v1: disentangled attention with separate position projections."""

from keras_bert import features
from keras_bert.layers.activations import gelu_erf
from keras_bert.layers.attention.relative_table import RelativeTable
from keras_bert.layers.attention.separate_disentangled_attention import (
    SeparateDisentangledAttention,
)
from keras_bert.layers.blocks.feed_forward import FeedForward
from keras_bert.layers.blocks.post_norm_block import PostNormBlock
from keras_bert.layers.embeddings.token_embeddings import WordEmbeddings
from keras_bert.layers.heads.mask_queries import MaskQueries
from keras_bert.layers.layer_norm import LayerNorm
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
        blocks.append(make_block(config, index, attention))
    return make_backbone(config, config.max_position_embeddings, None, blocks)


def make_backbone(config, num_distances, table_norm, blocks):
    """Create a backbone whose blocks share relative position embeddings.

    Args:
        config: `DebertaConfig`.
        num_distances: number of relative position embeddings per direction.
        table_norm: layer that normalizes these embeddings, or None.
        blocks: list of blocks.
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
    """Create the LayerNorm of an embedding layer."""
    return LayerNorm(config.layer_norm_eps, dtype="float32", name="layer_norm")


def make_block(
    config, index, attention, block_class=PostNormBlock, **arguments
):
    """Create a block of class `block_class` with additional arguments."""
    feed_forward = FeedForward(
        **layer_arguments(config)["feed_forward"], name="feed_forward"
    )
    arguments |= {"layer_norm_epsilon": config.layer_norm_eps}
    return block_class(
        attention, feed_forward, name=f"block_{index}", **arguments
    )


def _transform(config):
    return dense_transform(config, config.pooler_dropout, gelu_erf)


_FIRST_TOKEN = HeadKind("first_token", transform=_transform)
FAMILY = Family(
    config=DebertaConfig,
    backbone=deberta_backbone,
    paper="2006.03654",
    parts=("masked_lm_head",),
    task_heads={
        **TASK_HEADS,
        "classifier": _FIRST_TOKEN,
        "choice_scorer": _FIRST_TOKEN,
    },
    template=Template(pair="cls A sep B sep", segments=False),
    tokenizer="byte_bpe",
    # The published weights contain the newer masked-LM head of transformers.
    published_keys={"legacy": False},
)
