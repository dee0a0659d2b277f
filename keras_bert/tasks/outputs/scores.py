"""Metrics for predictions.

The tests compare them with scikit-learn and SciPy.
"""

import sys

import numpy as np

from keras_bert.messages import brief
from keras_bert.tasks.readers.glue_tasks import glue_task

# Prevents division by zero if there are no examples.
_SMALLEST = sys.float_info.min


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
        _label_indices("labels", labels, task),
        _label_indices("predictions", predictions, task),
    ]
    matrix = confusion_matrix(*_paired(*columns), len(names))
    scores = label_scores(matrix)
    scores["matthews_correlation"] = _matthews_correlation(matrix)
    return {name: scores[name] for name in task.metrics}


def pearson(labels, predictions, sample_weight=1.0):
    """Compute Pearson's correlation coefficient, from -1 to 1.

    Args:
        labels, predictions: lists of numbers, or of str that are numbers. If
            all values of either are equal, the correlation is 0.0.
        sample_weight: weights of the pairs, array `(num_pairs,)`, or 1. A pair
            of weight 2 counts as two pairs.
    """
    pair = _paired_numbers(labels, predictions)
    return _correlation(*pair, np.broadcast_to(sample_weight, pair[0].shape))


def spearman(labels, predictions, sample_weight=1.0):
    """Compute Spearman's rank correlation coefficient, from -1 to 1.

    Equal values get the mean of their ranks.

    Args:
        labels, predictions, sample_weight: arguments of `pearson`.
    """
    pair = _paired_numbers(labels, predictions)
    weights = np.broadcast_to(sample_weight, pair[0].shape)
    return _correlation(*(_average_ranks(x, weights) for x in pair), weights)


_GLUE = {
    "pearson": pearson,
    "spearman": spearman,
    "mean": lambda *pair: (pearson(*pair) + spearman(*pair)) / 2,
}


def _correlation(x, y, weights):
    x, y = _standardized(x, weights), _standardized(y, weights)
    return float(np.clip(x @ y, -1.0, 1.0))


def _standardized(values, weights):
    """Subtract the mean, and scale to norm 1; 0 if all are equal."""
    values = values[weights > 0]
    weights = weights[weights > 0]
    if (values == values[0]).all():
        return np.zeros_like(values)
    values = values / np.abs(values).max()  # Prevent overflow.
    values = np.sqrt(weights) * (values - np.average(values, weights=weights))
    return values / np.linalg.norm(values)


def _average_ranks(values, weights):
    _, indices = np.unique(values, return_inverse=True)
    counts = np.bincount(indices, weights)
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
            "`predictions` must have the shape of `labels`, and must not be "
            f"empty. Received: predictions of shape {predictions.shape}, "
            f"labels of shape {labels.shape}."
        )
    return labels, predictions


def _label_indices(name, values, task):
    """Return the indices of labels among the label names of a task."""
    for index, value in enumerate(values):
        if value not in task.label_names:
            raise ValueError(
                f"`{name}` of {task.name} must be one of "
                f"{', '.join(map(repr, task.label_names))}. Received: "
                f"{brief(value)} at index {index}."
            )
    return np.array([task.label_names.index(value) for value in values], int)


def confusion_matrix(labels, predictions, num_labels, sample_weight=1):
    """Compute the confusion matrix.

    Args:
        labels, predictions: int arrays `(num_examples,)`, indices of labels.
        num_labels: int.
        sample_weight: weights of the examples, array `(num_examples,)`, or 1.

    Returns:
        An array `(num_labels, num_labels)` with the dtype of the weights; rows
        are labels, columns are predictions.
    """
    dtype = np.asarray(sample_weight).dtype
    matrix = np.zeros((num_labels, num_labels), dtype)
    np.add.at(matrix, (labels, predictions), sample_weight)
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


def multi_label_scores(labels, predictions, sample_weight=1):
    """Compute the metrics of multi-label classification.

    Args:
        labels, predictions: bool arrays `(num_examples, num_labels)`.
        sample_weight: weights of the examples, array `(num_examples,)`, or 1.

    Returns:
        A dict of floats: `accuracy`, the fraction of examples with exactly the
        correct labels; `micro_f1`, over all decisions; and `macro_f1`, the mean
        F1 of all labels, 0.0 for labels that do not occur.
    """
    weights = np.broadcast_to(sample_weight, len(labels))
    right = weights @ (labels & predictions)
    given, predicted = weights @ labels, weights @ predictions
    is_right = (labels == predictions).all(1)
    return {
        "accuracy": float(np.average(is_right, weights=weights)),
        "micro_f1": float(
            _f1_of_counts(right.sum(), given.sum(), predicted.sum())
        ),
        "macro_f1": float(_f1_of_counts(right, given, predicted).mean()),
    }


def label_table(matrix, names):
    """Compute the metrics of each label from a confusion matrix.

    Returns:
        A list with a dict for each of the `names`: `label`, `precision`,
        `recall`, `f1` and `support`, the number of examples with this label.
        Undefined metrics are 0.0.
    """
    return label_rows(matrix.diagonal(), matrix.sum(1), matrix.sum(0), names)


def label_rows(right, given, predicted, names):
    """Compute the metrics of each label from counts, like `label_table`.

    Args:
        right, given, predicted: int arrays `(num_labels,)`: true positives,
            labels, and predictions of each label.
        names: list of str, the labels.
    """
    counts = np.stack([right, given, predicted], axis=1).tolist()
    return [
        {"label": name, **precision_recall_f1(*row), "support": row[1]}
        for name, row in zip(names, counts, strict=True)
    ]


def precision_recall_f1(right, given, predicted):
    """Return a dict of `precision`, `recall` and `f1`, 0.0 where undefined.

    Args:
        right, given, predicted: int, counts as in `label_rows`.
    """
    return {
        "precision": right / max(predicted, _SMALLEST),
        "recall": right / max(given, _SMALLEST),
        "f1": 2 * right / max(given + predicted, _SMALLEST),
    }


def _f1_of_counts(right, given, predicted):
    """Compute the harmonic mean of precision and recall."""
    return 2 * right / np.maximum(given + predicted, _SMALLEST)


def _matthews_correlation(matrix):
    """Compute the Matthews correlation (Gorodkin 2004); 0.0 if undefined."""
    matrix = matrix.astype(float)
    total, given, predicted = matrix.sum(), matrix.sum(1), matrix.sum(0)
    spread = (total**2 - given @ given) * (total**2 - predicted @ predicted)
    covariance = matrix.trace() * total - given @ predicted
    return float(covariance / spread**0.5) if spread else 0.0
