"""Longformer: RoBERTa with a sliding window and global tokens."""

import dataclasses
import functools

from keras import ops

from keras_bert import features
from keras_bert.models.families.longformer.config import LongformerConfig
from keras_bert.models.families.roberta import model as roberta
from keras_bert.models.global_tokens import MAX_GLOBAL_TOKENS
from keras_bert.models.global_tokens import first_token
from keras_bert.models.global_tokens import select_tokens


def _context(is_global, max_tokens, config):
    """Return the function that selects the global tokens of a task."""
    is_global = functools.partial(is_global, config.sep_token_id)
    return functools.partial(select_tokens, is_global, max_tokens)


def _first_token(sep_id, inputs):
    return first_token(inputs)


def _question(sep_id, inputs):
    counts, _ = _separators(sep_id, inputs)
    return ops.equal(counts, 0)


def _choice(sep_id, inputs):
    # Two separators stand between the context and the choice.
    counts, is_sep = _separators(sep_id, inputs)
    return counts - is_sep >= 2


def _separators(sep_id, inputs):
    """Return the number of separators up to each token, and their mask."""
    is_sep = ops.equal(inputs[features.INPUT_IDS.name], sep_id)
    is_sep = ops.cast(is_sep, "int32")
    return ops.cumsum(is_sep, axis=1), is_sep


_GLOBAL_TOKENS = {
    "classifier": (_first_token, 1),
    "choice_scorer": (_choice, MAX_GLOBAL_TOKENS),
    "span_classifier": (_question, MAX_GLOBAL_TOKENS),
}


FAMILY = dataclasses.replace(
    roberta.FAMILY,
    config=LongformerConfig,
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
