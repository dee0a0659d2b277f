"""How good predictions are, by the same measures for every library."""

import collections

import numpy as np

from keras_bert.data.labelled.entities import OUTSIDE
from keras_bert.tasks.answers.squad_scores import squad_scores
from keras_bert.tasks.scores import confusion_matrix
from keras_bert.tasks.scores import label_scores
from keras_bert.tasks.tags.entity_scores import entity_scores

# The share of one answer, so large that nothing else was learned.
_COLLAPSED = 0.95


def scores(kind, inputs, labels, predictions):
    """The scores of a split.

    Args:
        kind: str, as of `FineTuning`.
        inputs: list, what was predicted from.
        labels: list, what is right.
        predictions: list: of labels, of lists of tags, of places of choices,
            or of texts.

    Returns:
        A dict of floats, and of `has_collapsed`, bool: whether the answers
        are almost all the same, though they should differ.
    """
    compute = {
        "texts": _label_scores,
        "features": _label_scores,
        "words": _tag_scores,
        "choices": _choice_scores,
        "questions": _answer_scores,
    }[kind]
    return {
        **compute(inputs, labels, predictions),
        "has_collapsed": _has_collapsed(kind, labels, predictions),
    }


def squad_object(pairs, answers):
    """Questions as the object that a file of SQuAD holds.

    Args:
        pairs: list of pairs of str, a question and its context.
        answers: list with a list for each of pairs of a text and its place;
            it is empty where there is no answer.

    Returns:
        A dict; the ids are the indices.
    """
    paragraphs = [
        {
            "context": context,
            "qas": [
                {
                    "id": str(index),
                    "question": question,
                    "answers": [
                        {"text": text, "answer_start": start}
                        for text, start in several
                    ],
                    "is_impossible": not several,
                }
            ],
        }
        for index, ((question, context), several) in enumerate(
            zip(pairs, answers, strict=True)
        )
    ]
    return {"data": [{"paragraphs": paragraphs}]}


def _label_scores(inputs, labels, predictions):
    names = sorted({*labels})
    matrix = confusion_matrix(
        [names.index(label) for label in labels],
        [names.index(label) for label in predictions],
        len(names),
    )
    found = label_scores(matrix)
    return {name: found[name] for name in ("accuracy", "f1")}


def _tag_scores(inputs, labels, predictions):
    found = entity_scores(labels, predictions)
    return {name: found[name] for name in ("precision", "recall", "f1")}


def _choice_scores(inputs, labels, predictions):
    return {"accuracy": float(np.mean(np.equal(labels, predictions)))}


def _answer_scores(inputs, labels, predictions):
    answers = {str(index): text for index, text in enumerate(predictions)}
    return squad_scores(squad_object(inputs, labels), answers)


def _has_collapsed(kind, labels, predictions):
    if kind == "words":
        # Most words are no entity, and are rightly said to be none.
        pairs = [
            (tag, found)
            for row, tags in zip(labels, predictions, strict=True)
            for tag, found in zip(row, tags, strict=True)
            if tag != OUTSIDE
        ]
        labels, predictions = zip(*pairs, strict=True)
    elif kind == "questions":
        labels = [tuple(several[0]) if several else "" for several in labels]
    return (
        _largest_share(predictions) >= _COLLAPSED
        and _largest_share(labels) < _COLLAPSED
    )


def _largest_share(values):
    """The share of the commonest of some values."""
    ((_, count),) = collections.Counter(values).most_common(1)
    return count / len(values)
