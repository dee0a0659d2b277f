"""Counts of the answers to each label, which the scores of labels come from.

It needs no package beside NumPy, so that training can be watched anywhere.
"""

import numpy as np


def confusion_matrix(labels, predictions, num_labels):
    """Counts the answers to each label.

    Args:
        labels, predictions: int arrays `(num_examples,)`, places of labels.
        num_labels: int.

    Returns:
        An int array `(num_labels, num_labels)`: row the label, column the
        prediction.
    """
    matrix = np.zeros((num_labels, num_labels), np.int64)
    np.add.at(matrix, (labels, predictions), 1)
    return matrix


def label_scores(matrix):
    """Computes the scores of a confusion matrix.

    Returns:
        A dict of floats: `accuracy` and `macro_f1`, the mean of the F1 of
        each label, 0.0 for one that is nowhere; of two labels also `f1`, of
        the second, and `matthews_correlation`.
    """
    each = _f1(matrix.diagonal(), matrix.sum(1), matrix.sum(0))
    scores = {
        "accuracy": float(matrix.trace() / matrix.sum()),
        "macro_f1": float(each.mean()),
    }
    if len(matrix) == 2:
        scores["f1"] = float(each[1])
        scores["matthews_correlation"] = _matthews_correlation(matrix)
    return scores


def several_label_scores(labels, predictions):
    """Computes the scores where an example may have several labels, or none.

    Args:
        labels, predictions: bool arrays `(num_examples, num_labels)`.

    Returns:
        A dict of floats: `accuracy`, the share of examples with all their
        labels and no other, `micro_f1`, over all decisions, and `macro_f1`.
    """
    right = (labels & predictions).sum(0)
    given, found = labels.sum(0), predictions.sum(0)
    return {
        "accuracy": float((labels == predictions).all(1).mean()),
        "micro_f1": float(_f1(right.sum(), given.sum(), found.sum())),
        "macro_f1": float(_f1(right, given, found).mean()),
    }


def label_table(matrix, names):
    """Computes the scores of each label of a confusion matrix.

    Returns:
        A list with a dict for each of the `names`: `label`, `precision`,
        `recall`, `f1` and `support`, how many examples have it. A share of
        nothing is 0.0.
    """
    return label_rows(matrix.diagonal(), matrix.sum(1), matrix.sum(0), names)


def label_rows(right, given, found, names):
    """Makes a `label_table` of counts.

    Args:
        right, given, found: int arrays `(num_labels,)`: how often a label is
            rightly found, is there, and is found.
        names: list of str, the labels.
    """
    columns = {
        "label": names,
        "precision": (right / np.maximum(found, 1)).tolist(),
        "recall": (right / np.maximum(given, 1)).tolist(),
        "f1": _f1(right, given, found).tolist(),
        "support": given.tolist(),
    }
    return [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]


def _f1(right, given, found):
    """The harmonic mean of right / found and right / given."""
    return 2 * right / np.maximum(given + found, 1)


def _matthews_correlation(matrix):
    """Pearson's correlation of two columns of 0 and 1."""
    (a, b), (c, d) = matrix.tolist()
    spread = (a + b) * (c + d) * (a + c) * (b + d)
    return (a * d - b * c) / spread**0.5 if spread else 0.0
