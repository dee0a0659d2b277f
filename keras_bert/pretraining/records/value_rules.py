"""Rules for the values of records, checked one batch at a time."""

import types

import numpy as np

from keras_bert import features


def first_broken_rule(values, vocabulary):
    """Return the index and error of the first invalid record, or None."""
    first = None
    for feature, expected, is_broken in _rules(values, vocabulary):
        array = values[feature.name]
        row = int(is_broken.any(axis=1).argmax())
        column = int(is_broken[row].argmax())
        if is_broken[row, column] and (first is None or row < first[0]):
            where = f" at position {column}" if array.shape[1] > 1 else ""
            first = (
                row,
                f"`{feature.name}` must {expected}. Received: "
                f"{array[row, column]}{where}.",
            )
    return first


def _rules(values, vocabulary):
    """Yield (feature, expected values, mask of invalid values) tuples."""
    x = types.SimpleNamespace(**values)  # [R, S], [R, P] and [R, 1]
    for role in ("cls", "sep", "pad"):
        token = vocabulary.roles[role]
        setattr(x, role, token)
        setattr(x, f"{role}_id", vocabulary.id_of(token))
    x.ends = f"{x.cls} and {x.sep}"
    x.column = np.arange(x.input_ids.shape[1])
    x.length = (x.input_mask == 1).sum(axis=1, keepdims=True)
    x.vocab_size = len(vocabulary)
    if features.SEGMENT_BOUNDARY.name in values:
        x.boundary = x.segment_boundary
        yield (
            features.SEGMENT_BOUNDARY,
            "be where B begins in [CLS] A [SEP] B [SEP], with A and B not "
            "empty, or the number of tokens of [CLS] A [SEP]",
            (x.boundary < 3)
            | (x.boundary > x.length - 2) & (x.boundary != x.length),
        )
        yield from _token_rules(x, features.SEGMENT_BOUNDARY)
        yield _word_rule(x)
    else:
        # Position of B in [CLS] A [SEP] B [SEP], if A and B are not empty; in
        # [CLS] A [SEP], the number of tokens.
        in_second = x.segment_ids != 0
        begin = in_second.argmax(axis=1)[:, None]
        begin = np.maximum(np.minimum(begin, x.length - 2), 3)
        is_pair = in_second.any(axis=1, keepdims=True)
        x.boundary = np.where(is_pair, begin, x.length)
        yield from _padding_rules(x)
        yield from _token_rules(x, features.SEGMENT_IDS)
        yield from _prediction_rules(x)
    labels = x.next_sentence_labels
    is_wrong = (labels != 0) & (labels != 1)
    yield features.NEXT_SENTENCE_LABELS, "be 0 or 1", is_wrong


def _padding_rules(x):
    in_second = (x.column >= x.boundary) & (x.column < x.length)
    is_needed = x.column < np.where(x.boundary == x.length, 3, 5)
    yield (
        features.INPUT_MASK,
        "be ones at [CLS] A [SEP] B [SEP] or [CLS] A [SEP], then zeros",
        _rises(x.input_mask)
        | (x.input_mask < 0)
        | is_needed & (x.input_mask != 1),
    )
    yield (
        features.SEGMENT_IDS,
        "be 0 in [CLS] A [SEP] and at padding, 1 in B [SEP]",
        x.segment_ids != in_second,
    )
    yield (
        features.INPUT_IDS,
        f"be {x.pad_id} at padding",
        (x.column >= x.length) & (x.input_ids != x.pad_id),
    )


def _word_rule(x):
    begins = x.column == x.boundary
    must_start = (x.column == 1) | begins & (x.column < x.length)
    may_start = (x.column > 0) & (x.column < x.length)
    may_start &= ~_is_end(x, x.column) & (x.input_ids != x.sep_id)
    return (
        features.WORD_STARTS,
        f"be 0 or 1, 0 at {x.ends}, 1 where A and B begin",
        (x.word_starts < must_start) | (x.word_starts > may_start),
    )


def _token_rules(x, divider):
    yield _id_rule(x, features.INPUT_IDS, x.input_ids)
    yield (
        features.INPUT_IDS,
        f"begin with {x.cls}, id {x.cls_id}",
        (x.column == 0) & (x.input_ids != x.cls_id),
    )
    yield (
        features.INPUT_IDS,
        f"be {x.sep}, id {x.sep_id}, where `{divider.name}` ends A and B",
        _is_end(x, x.column) & (x.input_ids != x.sep_id),
    )


def _prediction_rules(x):
    positions, labels = x.masked_lm_positions, x.masked_lm_ids
    predicted = x.masked_lm_weights == 1
    may_predict = (positions > 0) & (positions < x.length)
    may_predict &= ~_is_end(x, positions)
    may_predict[:, 1:] &= positions[:, 1:] > positions[:, :-1]
    padding = f"be 0 where `{features.MASKED_LM_WEIGHTS.name}` is 0.0"
    yield (
        features.MASKED_LM_WEIGHTS,
        "be 1.0 at predictions, then 0.0",
        _rises(x.masked_lm_weights) | ~predicted & (x.masked_lm_weights != 0),
    )
    yield (
        features.MASKED_LM_POSITIONS,
        f"be ascending positions in A and B, except {x.ends}",
        predicted & ~may_predict,
    )
    yield features.MASKED_LM_POSITIONS, padding, ~predicted & (positions != 0)
    yield _id_rule(x, features.MASKED_LM_IDS, labels)
    yield features.MASKED_LM_IDS, padding, ~predicted & (labels != 0)
    is_sep = predicted & (labels == x.sep_id)
    yield features.MASKED_LM_IDS, f"not be {x.sep}", is_sep


def _id_rule(x, feature, ids):
    return (
        feature,
        f"be at least 0 and below the vocabulary's size, {x.vocab_size}",
        (ids < 0) | (ids >= x.vocab_size),
    )


def _is_end(x, position):
    """Return a mask that is True at the [SEP] after A and after B."""
    return (position == x.boundary - 1) | (position == x.length - 1)


def _rises(values):
    return np.diff(values, axis=1, prepend=values[:, :1]) > 0
