"""Metrics for predictions.

The tests compare them with scikit-learn and SciPy.
"""

import numpy as np

from keras_bert.messages import brief
from keras_bert.tasks.labelled.glue_tasks import glue_task


def glue_scores(task, labels, predictions):
    """Compute the official metrics of a GLUE task.

    Args:
        task: str, one of `GLUE_TASKS`, such as "mrpc".
        labels, predictions: lists of label names, or of numbers for "stsb",
            in the format of `read_glue`.

    Returns:
        A dict mapping metric names to floats. "mean" is the mean of "pearson"
        and "spearman".

    Raises:
        ValueError: the task or a label is unknown, or `labels` and
            `predictions` differ in length.
    """
    task = glue_task(task)
    if task.is_regression:
        return {name: _GLUE[name](labels, predictions) for name in task.metrics}
    names = task.label_names
    columns = [
        _places("labels", labels, task),
        _places("predictions", predictions, task),
    ]
    matrix = confusion_matrix(*_paired(*columns), len(names))
    scores = label_scores(matrix)
    scores["matthews_correlation"] = _matthews_correlation(matrix)
    return {name: scores[name] for name in task.metrics}


def pearson(labels, predictions):
    """Compute Pearson's correlation coefficient, from -1 to 1.

    Args:
        labels, predictions: lists of numbers, or of str that are numbers. If
            all values of either are equal, the correlation is 0.0.
    """
    return _correlation(*_paired_numbers(labels, predictions))


def spearman(labels, predictions):
    """Compute Spearman's rank correlation coefficient, from -1 to 1.

    Equal values get the mean of their ranks.

    Args:
        labels, predictions: arguments of `pearson`.
    """
    pair = _paired_numbers(labels, predictions)
    return _correlation(*map(_average_ranks, pair))


_GLUE = {
    "pearson": pearson,
    "spearman": spearman,
    "mean": lambda *pair: (pearson(*pair) + spearman(*pair)) / 2,
}


def _correlation(x, y):
    x, y = _standardized(x), _standardized(y)
    return float(np.clip(x @ y, -1.0, 1.0))


def _standardized(values):
    """Subtract the mean and divide by the norm; 0 if all are equal."""
    if (values == values[0]).all():
        return np.zeros_like(values)
    values = values / np.abs(values).max()  # Prevent overflow.
    values -= values.mean()
    return values / np.linalg.norm(values)


def _average_ranks(values):
    _, indices, counts = np.unique(
        values, return_inverse=True, return_counts=True
    )
    return (np.cumsum(counts) - (counts - 1) / 2)[indices]


def _paired_numbers(labels, predictions):
    return _paired(
        _numbers("labels", labels), _numbers("predictions", predictions)
    )


def _numbers(name, values):
    try:
        numbers = np.array([*values], float)
    except (TypeError, ValueError):
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"`{name}` must be finite numbers. Received: {brief(values)}."
        )
    return numbers


def _paired(labels, predictions):
    labels, predictions = np.asarray(labels), np.asarray(predictions)
    if labels.shape != predictions.shape or not labels.size:
        raise ValueError(
            "`predictions` must have one item per label, and at least one. "
            f"Received: {predictions.shape} predictions for {labels.shape} "
            "labels."
        )
    return labels, predictions


def _places(name, values, task):
    """Return the indices of labels among the label names of a task."""
    for index, value in enumerate(values):
        if value not in task.label_names:
            raise ValueError(
                f"`{name}` of {task.name} must be one of "
                f"{', '.join(map(repr, task.label_names))}. Received: "
                f"{brief(value)} at index {index}."
            )
    return np.array([task.label_names.index(value) for value in values], int)


def confusion_matrix(labels, predictions, num_labels):
    """Compute the confusion matrix.

    Args:
        labels, predictions: int arrays `(num_examples,)`, indices of labels.
        num_labels: int.

    Returns:
        An int array `(num_labels, num_labels)`; rows are labels, columns are
        predictions.
    """
    matrix = np.zeros((num_labels, num_labels), np.int64)
    np.add.at(matrix, (labels, predictions), 1)
    return matrix


def label_scores(matrix):
    """Compute the metrics of a confusion matrix.

    Returns:
        A dict of floats: `accuracy` and `macro_f1`, the mean F1 of the labels
        that occur among the labels or the predictions. If there are two labels,
        also `f1` of the second label and `matthews_correlation`.
    """
    occurs = (matrix.sum(0) + matrix.sum(1)) > 0
    each = _f1_of_counts(matrix.diagonal(), matrix.sum(1), matrix.sum(0))
    scores = {
        "accuracy": float(matrix.trace() / matrix.sum()),
        "macro_f1": float(each[occurs].mean()),
    }
    if len(matrix) == 2:
        scores["f1"] = float(each[1])
        scores["matthews_correlation"] = _matthews_correlation(matrix)
    return scores


def multi_label_scores(labels, predictions):
    """Compute the metrics of multi-label classification.

    Args:
        labels, predictions: bool arrays `(num_examples, num_labels)`.

    Returns:
        A dict of floats: `accuracy`, the fraction of examples with exactly the
        correct labels; `micro_f1`, over all decisions; and `macro_f1`, the mean
        F1 of all labels, 0.0 for labels that do not occur.
    """
    right = (labels & predictions).sum(0)
    given, found = labels.sum(0), predictions.sum(0)
    return {
        "accuracy": float((labels == predictions).all(1).mean()),
        "micro_f1": float(_f1_of_counts(right.sum(), given.sum(), found.sum())),
        "macro_f1": float(_f1_of_counts(right, given, found).mean()),
    }


def label_table(matrix, names):
    """Compute the metrics of each label from a confusion matrix.

    Returns:
        A list with a dict for each of the `names`: `label`, `precision`,
        `recall`, `f1` and `support`, the number of examples with this label.
        Undefined metrics are 0.0.
    """
    return label_rows(matrix.diagonal(), matrix.sum(1), matrix.sum(0), names)


def label_rows(right, given, found, names):
    """Compute the metrics of each label from counts, like `label_table`.

    Args:
        right, given, found: int arrays `(num_labels,)`: true positives,
            labels, and predictions of each label.
        names: list of str, the labels.
    """
    counts = right.tolist(), given.tolist(), found.tolist()
    return [
        {"label": name, **precision_recall_f1(*row), "support": row[1]}
        for name, *row in zip(names, *counts, strict=True)
    ]


def precision_recall_f1(right, given, found):
    """Return a dict of `precision`, `recall` and `f1`, 0.0 where undefined.

    Args:
        right, given, found: int, counts as in `label_rows`.
    """
    return {
        "precision": right / max(found, 1),
        "recall": right / max(given, 1),
        "f1": 2 * right / max(given + found, 1),
    }


def _f1_of_counts(right, given, found):
    """Compute the harmonic mean of precision and recall."""
    return 2 * right / np.maximum(given + found, 1)


def _matthews_correlation(matrix):
    """Compute the Matthews correlation (Gorodkin 2004); 0.0 if undefined."""
    matrix = matrix.astype(float)
    total, given, found = matrix.sum(), matrix.sum(1), matrix.sum(0)
    spread = (total**2 - given @ given) * (total**2 - found @ found)
    covariance = matrix.trace() * total - given @ found
    return float(covariance / spread**0.5) if spread else 0.0
