"""The rules that the values of records keep, checked a batch at a time."""

import numpy as np

from keras_bert import features


def first_broken_rule(values, vocabulary):
    """The row and the fault of the first record that breaks a rule, or None."""
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
    """All rules, as (feature, what it must do, mask of its violations)."""
    mask = values[features.INPUT_MASK.name]
    length = (mask == 1).sum(axis=1, keepdims=True)
    if features.SEGMENT_BOUNDARY.name in values:
        boundary = values[features.SEGMENT_BOUNDARY.name]
        place = values, length, boundary
        rules = [
            (
                features.SEGMENT_BOUNDARY,
                "be where B begins in [CLS] A [SEP] B [SEP], neither empty, "
                "or the number of tokens of [CLS] A [SEP]",
                (boundary < 3) | (boundary > length - 2) & (boundary != length),
            ),
            *_token_rules(*place, vocabulary, features.SEGMENT_BOUNDARY),
            _word_rule(*place, vocabulary),
        ]
    else:
        in_second = values[features.SEGMENT_IDS.name] != 0
        # In [CLS] A [SEP] B [SEP], where B begins if neither is empty.
        boundary = in_second.argmax(axis=1)[:, None]
        boundary = np.maximum(np.minimum(boundary, length - 2), 3)
        # In [CLS] A [SEP] it is behind all.
        boundary = np.where(in_second.any(1, keepdims=True), boundary, length)
        place = values, length, boundary
        rules = [
            *_padding_rules(*place, vocabulary),
            *_token_rules(*place, vocabulary, features.SEGMENT_IDS),
            *_prediction_rules(*place, vocabulary),
        ]
    labels = values[features.NEXT_SENTENCE_LABELS.name]
    is_binary = (labels == 0) | (labels == 1)
    return [*rules, (features.NEXT_SENTENCE_LABELS, "be 0 or 1", ~is_binary)]


def _padding_rules(values, length, boundary, vocabulary):
    ids, mask, segment_ids = (
        values[feature.name] for feature in features.ENCODER_INPUTS
    )
    pad_id = vocabulary.id_of(vocabulary.roles["pad"])
    column = np.arange(ids.shape[1])
    shortest = np.where(boundary == length, 3, 5)
    return [
        (
            features.INPUT_MASK,
            "be ones at [CLS] A [SEP] B [SEP] or [CLS] A [SEP], then zeros",
            _rises(mask) | (mask < 0) | (column < shortest) & (mask != 1),
        ),
        (
            features.SEGMENT_IDS,
            "be 0 in [CLS] A [SEP] and at padding, 1 in B [SEP]",
            segment_ids != ((column >= boundary) & (column < length)),
        ),
        (
            features.INPUT_IDS,
            f"be {pad_id} at padding",
            (column >= length) & (ids != pad_id),
        ),
    ]


def _word_rule(values, length, boundary, vocabulary):
    starts = values[features.WORD_STARTS.name]
    column = np.arange(starts.shape[1])
    must_start = (column == 1) | (column == boundary) & (column < length)
    may_start = (column > 0) & (column < length)
    may_start &= ~_is_end(column, length, boundary)
    may_start &= values[features.INPUT_IDS.name] != _sep_id(vocabulary)
    return (
        features.WORD_STARTS,
        f"be 0 or 1, 0 at {_ends(vocabulary)}, 1 where A and B begin",
        (starts < must_start) | (starts > may_start),
    )


def _token_rules(values, length, boundary, vocabulary, divider):
    ids = values[features.INPUT_IDS.name]
    cls, sep = vocabulary.roles["cls"], vocabulary.roles["sep"]
    cls_id, sep_id = vocabulary.id_of(cls), _sep_id(vocabulary)
    column = np.arange(ids.shape[1])
    return [
        _id_rule(features.INPUT_IDS, ids, vocabulary),
        (
            features.INPUT_IDS,
            f"begin with {cls}, id {cls_id}",
            (column == 0) & (ids != cls_id),
        ),
        (
            features.INPUT_IDS,
            f"hold {sep}, id {sep_id}, where `{divider.name}` ends A and B",
            _is_end(column, length, boundary) & (ids != sep_id),
        ),
    ]


def _prediction_rules(values, length, boundary, vocabulary):
    positions = values[features.MASKED_LM_POSITIONS.name]
    labels = values[features.MASKED_LM_IDS.name]
    weights = values[features.MASKED_LM_WEIGHTS.name]
    predicted = weights == 1
    at_word = (positions > 0) & (positions < length)
    at_word &= ~_is_end(positions, length, boundary)
    ascending = np.ones(positions.shape, bool)
    ascending[:, 1:] = positions[:, 1:] > positions[:, :-1]
    padding = f"be 0 where `{features.MASKED_LM_WEIGHTS.name}` is 0.0"
    return [
        (
            features.MASKED_LM_WEIGHTS,
            "be 1.0 at predictions, then 0.0",
            _rises(weights) | ~predicted & (weights != 0),
        ),
        (
            features.MASKED_LM_POSITIONS,
            f"ascend over A and B without {_ends(vocabulary)}",
            predicted & ~(at_word & ascending),
        ),
        (features.MASKED_LM_POSITIONS, padding, ~predicted & (positions != 0)),
        _id_rule(features.MASKED_LM_IDS, labels, vocabulary),
        (features.MASKED_LM_IDS, padding, ~predicted & (labels != 0)),
        (
            features.MASKED_LM_IDS,
            f"be no {vocabulary.roles['sep']}",
            predicted & (labels == _sep_id(vocabulary)),
        ),
    ]


def _id_rule(feature, ids, vocabulary):
    return (
        feature,
        f"be at least 0 and below the vocabulary's size, {len(vocabulary)}",
        (ids < 0) | (ids >= len(vocabulary)),
    )


def _sep_id(vocabulary):
    return vocabulary.id_of(vocabulary.roles["sep"])


def _ends(vocabulary):
    return f"{vocabulary.roles['cls']} and {vocabulary.roles['sep']}"


def _is_end(position, length, boundary):
    """True at the positions of the [SEP] after A and after B."""
    return (position == boundary - 1) | (position == length - 1)


def _rises(values):
    rises = np.zeros(values.shape, bool)
    rises[:, 1:] = values[:, 1:] > values[:, :-1]
    return rises
