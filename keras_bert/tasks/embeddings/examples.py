"""Pairs and triplets of texts that embeddings are trained on."""

import itertools

import numpy as np

from keras_bert.tasks.fine_tuning.columns import INSIDE
from keras_bert.tasks.fine_tuning.columns import as_rows
from keras_bert.tasks.fine_tuning.columns import numbers
from keras_bert.tasks.fine_tuning.columns import split_examples
from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.encoded import tokenized_rows
from keras_bert.tasks.fine_tuning.texts import brief
from keras_bert.tasks.fine_tuning.texts import checked_texts


def embedding_examples(preprocess, texts, labels=None):
    """Checks and tokenizes pairs, triplets or scored pairs.

    Args:
        preprocess: `Preprocessor`.
        texts: list, array or table of pairs (anchor, positive) or of triplets
            (anchor, positive, negative); or a `tf.data.Dataset` of such
            tuples, or of pairs of a pair of texts and its score.
        labels: list of float from -1 to 1, how alike the two texts of a pair
            are; None for pairs that belong together.

    Returns:
        `Encoded`: its rows are the different texts, of which one that comes
        again is held once, its groups int `(num_examples, num_texts)`, and its
        targets the scores, float32 `(num_examples,)`, or else the groups.

    Raises:
        ValueError: an example is none of these; its index is named.
    """
    texts, labels = _split(texts, labels)
    width = len(texts[0]) if _is_row(texts[0]) else 1
    if width not in ((2,) if labels is not None else (2, 3)):
        raise ValueError(
            "`texts` must be pairs or triplets of texts, or with `labels` "
            f"pairs. Received: {brief(texts[0])} at index 0."
        )
    for index, row in enumerate(texts):
        if not _is_row(row) or len(row) != width:
            raise ValueError(
                f"Each example must have {width} texts, as the first one. "
                f"Received: {brief(row)} at index {index}."
            )
    columns = [checked_texts(column) for column in zip(*texts, strict=True)]
    scores = None if labels is None else _scores(labels)
    places = {}
    for text in itertools.chain(*zip(*columns, strict=True)):
        places.setdefault(text, len(places))
    ids = [[places[text] for text in column] for column in columns]
    rows = tokenized_rows(preprocess, [*places])
    groups = np.array(ids).T
    return Encoded(
        rows,
        groups=groups,
        targets=groups if scores is None else scores,
        output="embedding",
    )


def are_scored(examples):
    """Says if what `embedding_examples` gives are scored pairs."""
    return examples.targets.ndim == 1


def _split(texts, labels):
    spec = getattr(texts, "element_spec", None)
    is_scored = isinstance(spec, tuple) and isinstance(spec[0], tuple)
    if is_scored or labels is not None:
        return split_examples(texts, INSIDE if labels is None else labels)
    texts = as_rows(texts)
    if not texts:
        raise ValueError("There must be examples. Received: none.")
    return texts, None


def _is_row(row):
    return isinstance(row, tuple | list | np.ndarray)


def _scores(labels):
    scores = numbers(labels)
    for index in np.flatnonzero(np.abs(scores) > 1)[:1]:
        raise ValueError(
            "The score of a pair must be from -1 to 1, as a cosine is; "
            "divide others by the greatest possible. Received: "
            f"{labels[index]!r} at index {index}."
        )
    return scores
