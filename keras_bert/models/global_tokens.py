"""Global tokens for the tasks of long models."""

import functools

from keras import ops

from keras_bert import features
from keras_bert.layers.attention.global_tokens import GlobalTokens

# Maximum number of global tokens. Later tokens of a question or choice are not
# global.
MAX_GLOBAL_TOKENS = 128
_IDS, _MASK, _SEGMENTS = (feature.name for feature in features.ENCODER_INPUTS)
# Segment ids of the question and of the choice.
_GLOBAL_SEGMENTS = {"span_classifier": 0, "choice_scorer": 1}


def context_of(part):
    """Return a function that computes the attention context of a head, or None.

    The function takes the inputs of the model. For question answering, the
    question is global; for multiple choice, the choice is global. For tagging,
    no token is global. For other tasks, or if the model has no segments, only
    the first token is global.

    Args:
        part: name of the head, such as "classifier".
    """
    if part == "token_classifier":
        return None
    segment = _GLOBAL_SEGMENTS.get(part)

    def context(inputs):
        if segment is None or _SEGMENTS not in inputs:
            return select_tokens(first_token, 1, inputs)
        is_global = functools.partial(_in_segment, segment)
        return select_tokens(is_global, MAX_GLOBAL_TOKENS, inputs)

    return context


def select_tokens(is_global, max_tokens, inputs):
    """Return an attention context with global tokens.

    Args:
        is_global: callable that maps `inputs` to a bool mask.
        max_tokens: maximum number of global tokens of a text.
        inputs: dict mapping names to int32 `(batch_size, seq_length)` tensors.
    """
    chosen = ops.cast(is_global(inputs), "int32") * inputs[_MASK]
    layer = GlobalTokens(max_tokens, name="global_tokens")
    return {"global_tokens": layer(chosen, inputs[_MASK])}


def first_token(inputs):
    """Return the mask of the first token."""
    # Some model servers lack the TensorFlow op `OnesLike`.
    ones = ops.zeros_like(inputs[_IDS]) + 1
    return ops.equal(ops.cumsum(ones, axis=1), 1)


def _in_segment(number, inputs):
    return ops.equal(inputs[_SEGMENTS], number)
