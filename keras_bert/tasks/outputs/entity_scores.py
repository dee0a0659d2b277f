"""Scores for predicted tags, by entity or by word.

The tests compare them with seqeval.
"""

import collections
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_bert.messages import brief
from keras_bert.tasks.inputs.sentences import check_lengths
from keras_bert.tasks.outputs.scores import precision_recall_f1
from keras_bert.tasks.readers.entities import OUTSIDE
from keras_bert.tasks.readers.entities import entity_tags
from keras_bert.tasks.readers.entities import find_entities
from keras_bert.tasks.readers.tag_schemes import IOB2
from keras_bert.tasks.readers.tag_schemes import check_scheme


def entity_scores(
    tags: list[list[str]],
    predictions: list[list[str]],
    sample_weight: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Compute precision, recall and F1 of entities.

    An entity is correct if its type and all its words are correct. The scores
    equal seqeval's with `mode="strict"` and `scheme=IOB2`: a predicted I- tag
    that does not continue an entity of its type is not an entity. By default,
    seqeval and the scorer of CoNLL-2003 count it as one; for their scores, pass
    the predictions through `to_iob2` first.

    Args:
        tags: list with a list of IOB2 tags for each sentence.
        predictions: predicted tags in the same form.
        sample_weight: weights of the sentences, or None for equal weights.

    Returns:
        A dict with `precision`, `recall` and `f1` over the entities of all
        types, `num_entities`, the number of entities in `tags`, and `types`, a
        dict with the same four values for each type. Undefined metrics are
        0.0.

    Raises:
        ValueError: the tags are not IOB2, or the lengths differ. The message
            names the index of the sentence.
    """
    check_lengths("predictions", predictions, tags)
    check_scheme(tags, IOB2)
    _check_prefixes(predictions)
    given, predicted = _entities(tags), _entities(predictions)
    right, given, predicted = (
        _count_by_label(some, sample_weight)
        for some in (given & predicted, given, predicted)
    )
    return {
        **_scores(right.total(), given.total(), predicted.total()),
        "types": {
            label: _scores(right[label], given[label], predicted[label])
            for label in sorted(given | predicted)
        },
    }


def tag_accuracy(tags, predictions, sample_weight=None):
    """Compute the fraction of words with a correct tag.

    Args:
        tags, predictions: lists with a list of str for each sentence.
        sample_weight: argument of `entity_scores`.

    Returns:
        A dict with `accuracy`.

    Raises:
        ValueError: there is no word, or the lengths differ. The message names
            the index of the sentence.
    """
    check_lengths("predictions", predictions, tags)
    flat = itertools.chain.from_iterable
    right = [a == b for a, b in zip(flat(tags), flat(predictions), strict=True)]
    if not right:
        raise ValueError(f"`tags` must contain words. Received: tags={tags}.")
    if sample_weight is not None:
        sample_weight = np.repeat(sample_weight, [*map(len, tags)])
    return {"accuracy": float(np.average(right, weights=sample_weight))}


def _check_prefixes(predictions):
    for index, row in enumerate(predictions):
        for tag in row:
            if tag not in (OUTSIDE, *entity_tags(tag[2:])):
                raise ValueError(
                    "`predictions` must be O, B-TYPE or I-TYPE. "
                    f"Received: {brief(tag)} at index {index}."
                )


def _entities(rows):
    """Return (sentence index, entity) pairs for entities that start with B-."""
    return {
        (index, entity)
        for index, row in enumerate(rows)
        for entity in find_entities(row)
        if row[entity.first][0] == "B"
    }


def _count_by_label(entities, sample_weight):
    counts = collections.Counter()
    for index, entity in entities:
        weight = 1 if sample_weight is None else sample_weight[index]
        counts[entity.label] += weight
    return counts


def _scores(right, given, predicted):
    return {
        **precision_recall_f1(right, given, predicted),
        "num_entities": given,
    }
