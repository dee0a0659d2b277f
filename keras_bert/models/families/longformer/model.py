"""Longformer: RoBERTa with a sliding window and global tokens."""

import dataclasses
import functools

from keras import ops

from keras_bert import features
from keras_bert.layers.feed_forward import FeedForward
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.layers.global_tokens import GlobalTokens
from keras_bert.layers.post_norm_block import PostNormBlock
from keras_bert.layers.roberta_embeddings import RobertaEmbeddings
from keras_bert.layers.sliding_window_attention import SlidingWindowAttention
from keras_bert.models.backbone import Backbone
from keras_bert.models.families.longformer.config import LongformerConfig
from keras_bert.models.families.roberta import model as roberta
from keras_bert.models.layer_arguments import layer_arguments

# Later tokens of a question or choice are not global.
_MAX_GLOBAL_TOKENS = 128


def longformer_backbone(config, **pieces):
    """Build the layers of the encoder; `pieces` are arguments of `Backbone`.

    No token is global, unless a `context` says so.
    """
    arguments = layer_arguments(config)
    dropout, _, _ = config.dropouts
    blocks = [
        PostNormBlock(
            SlidingWindowAttention(
                **arguments["attention"],
                window=window,
                output_dropout=dropout,
                name="self_attention",
            ),
            FeedForward(**arguments["feed_forward"], name="feed_forward"),
            config.layer_norm_eps,
            name=f"block_{index}",
        )
        for index, window in enumerate(config.windows)
    ]
    embeddings = RobertaEmbeddings(
        **arguments["embeddings"], pad_id=config.pad_token_id, name="embeddings"
    )
    pooler = FlatDense(**arguments["pooler"], name="pooler")
    return Backbone(embeddings, blocks, pooler=pooler, **pieces)


def _context(is_global, max_tokens, config):
    """Return the function that selects the global tokens of a task."""
    layer = GlobalTokens(max_tokens, name="global_tokens")

    def context(inputs):
        mask = inputs[features.INPUT_MASK.name]
        chosen = is_global(inputs[features.INPUT_IDS.name], config.sep_token_id)
        return {"global_tokens": layer(ops.cast(chosen, "int32") * mask, mask)}

    return context


def _first_token(input_ids, sep_id):
    ones = ops.zeros_like(input_ids) + 1  # `OnesLike` is not served.
    return ops.equal(ops.cumsum(ones, axis=1), 1)


def _question(input_ids, sep_id):
    return ops.equal(_count(input_ids, sep_id), 0)


def _choice(input_ids, sep_id):
    # Two separators stand between the context and the choice.
    is_sep = ops.cast(ops.equal(input_ids, sep_id), "int32")
    return _count(input_ids, sep_id) - is_sep >= 2


def _count(input_ids, sep_id):
    """Count the separators up to each position."""
    is_sep = ops.cast(ops.equal(input_ids, sep_id), "int32")
    return ops.cumsum(is_sep, axis=1)


_GLOBAL_TOKENS = {
    "classifier": (_first_token, 1),
    "choice_scorer": (_choice, _MAX_GLOBAL_TOKENS),
    "span_classifier": (_question, _MAX_GLOBAL_TOKENS),
}


FAMILY = dataclasses.replace(
    roberta.FAMILY,
    config=LongformerConfig,
    backbone=longformer_backbone,
    paper="2004.05150",
    task_heads={
        **roberta.FAMILY.task_heads,
        **{
            part: dataclasses.replace(
                roberta.FAMILY.task_heads[part],
                context=functools.partial(_context, *chosen),
            )
            for part, chosen in _GLOBAL_TOKENS.items()
        },
    },
)
