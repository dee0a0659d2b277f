"""Evaluation reports for fine-tuned models."""

import itertools

import numpy as np

from keras_bert.tasks.labels import label_indices
from keras_bert.tasks.outputs.scores import confusion_matrix
from keras_bert.tasks.outputs.scores import glue_scores
from keras_bert.tasks.outputs.scores import label_rows
from keras_bert.tasks.outputs.scores import label_scores
from keras_bert.tasks.outputs.scores import label_table
from keras_bert.tasks.outputs.scores import multi_label_scores

_BINS = 10


def calibration(confidences, is_right):
    """Compare predicted probabilities with the accuracy.

    Args:
        confidences: float array `(num_examples,)`, the probability of each
            prediction, from 0 to 1.
        is_right: bool array `(num_examples,)`.

    Returns:
        A JSON-serializable dict: `bins`, a list of dicts with the mean
        `confidence`, the `accuracy` and the `count` of ten bins (empty bins are
        omitted); and `expected_error`, the expected calibration error (ECE).

    References:
        [Guo et al.](https://arxiv.org/abs/1706.04599), section 2
    """
    confidences, is_right = np.asarray(confidences), np.asarray(is_right)
    bin_of = np.minimum((confidences * _BINS).astype(int), _BINS - 1)
    bins = [
        {
            "confidence": float(confidences[bin_of == index].mean()),
            "accuracy": float(is_right[bin_of == index].mean()),
            "count": int((bin_of == index).sum()),
        }
        for index in np.unique(bin_of)
    ]
    error = sum(x["count"] * abs(x["confidence"] - x["accuracy"]) for x in bins)
    return {"bins": bins, "expected_error": error / len(confidences)}


def confusion_report(right, predicted, names):
    """Return the scores, scores per label and confusion matrix.

    Args:
        right, predicted: int arrays `(num_examples,)`, labels and predictions
            as indices into `names`.
        names: list of str, the labels.

    Returns:
        A JSON-serializable dict: `scores`, `labels` (see `label_table`) and
        `confusion_matrix`.
    """
    matrix = confusion_matrix(right, predicted, len(names))
    return {
        "scores": label_scores(matrix),
        "labels": label_table(matrix, names),
        "confusion_matrix": matrix.tolist(),
    }


def worst_rows(is_wrong, errors, **columns):
    """Return the rows with wrong predictions, sorted by decreasing error.

    Args:
        is_wrong: bool array `(num_rows,)`.
        errors: float array `(num_rows,)`, such as the confidence of a wrong
            prediction.
        **columns: lists of values for JSON.

    Returns:
        A list of dicts mapping column names to values.
    """
    wrong = np.flatnonzero(is_wrong)
    order = wrong[np.argsort(-np.asarray(errors)[wrong], kind="stable")]
    return [
        {name: column[row] for name, column in columns.items()}
        for row in order.tolist()
    ]


def classifier_report(classifier, locations, texts, labels, glue=None):
    """Evaluate a classifier with one label for each text.

    Args:
        classifier: `TextClassifier`.
        locations: list of str, file and line of each text.
        texts: list of str, or of pairs of str.
        labels: list of str.
        glue: `GlueTask` that defines additional scores, or None.

    Returns:
        A tuple `(report, mistakes)`: the dict of `confusion_report` with the
        additional key `calibration`, for JSON, and a list of dicts with the
        wrong predictions, sorted by decreasing confidence.
    """
    names = classifier.labels
    probabilities = classifier.probabilities(texts)
    predicted, confidences = probabilities.argmax(1), probabilities.max(1)
    right = label_indices(labels, names)
    predictions = [names[index] for index in predicted]
    report = confusion_report(right, predicted, names)
    if glue:
        report["scores"] |= glue_scores(glue.name, labels, predictions)
    report["calibration"] = calibration(confidences, predicted == right)
    return report, worst_rows(
        predicted != right,
        confidences,
        place=locations,
        label=labels,
        prediction=predictions,
        probability=confidences.tolist(),
        text=texts,
    )


def regressor_report(regressor, locations, texts, labels, glue=None):
    """Evaluate a regressor.

    Args:
        regressor: `TextRegressor`.
        locations, texts, labels, glue: as in `classifier_report`; labels are
            floats.

    Returns:
        A tuple `(report, mistakes)`: a JSON-serializable dict with `scores`,
        and a list of dicts with all predictions, sorted by decreasing error.
    """
    scores = regressor.evaluate(texts, labels)
    predictions = regressor.predict(texts)
    if glue:
        scores |= glue_scores(glue.name, labels, predictions)
    return {"scores": scores}, worst_rows(
        np.full(len(labels), True),
        np.abs(np.array(labels) - predictions),
        place=locations,
        label=labels,
        prediction=predictions,
        text=texts,
    )


def several_labels_report(classifier, locations, texts, labels, glue=None):
    """Evaluate a multi-label classifier.

    Args:
        classifier: `TextClassifier` with `multi_label=True`.
        locations, texts: as in `classifier_report`.
        labels: list with a tuple of str for each text.
        glue: None, because no GLUE task has several labels.

    Returns:
        A tuple `(report, mistakes)`: a JSON-serializable dict with `scores`,
        `labels` (see `label_rows`) and `calibration`, over all pairs of a text
        and a label; and a list of dicts with the texts that have a wrong label,
        sorted by decreasing confidence.
    """
    names = classifier.labels
    probabilities = classifier.probabilities(texts)
    predicted = probabilities >= 0.5
    given = np.array([[name in row for name in names] for row in labels])
    confidences = np.where(predicted, probabilities, 1 - probabilities)
    is_wrong = predicted != given
    report = {
        "scores": multi_label_scores(given, predicted),
        "labels": label_rows(
            right=(given & predicted).sum(0),
            given=given.sum(0),
            predicted=predicted.sum(0),
            names=names,
        ),
        "calibration": calibration(confidences.ravel(), ~is_wrong.ravel()),
    }
    worst = np.where(is_wrong, confidences, 0.0).max(axis=1)
    return report, worst_rows(
        is_wrong.any(1),
        worst,
        place=locations,
        label=[list(row) for row in labels],
        prediction=[[*itertools.compress(names, row)] for row in predicted],
        probability=worst.tolist(),
        text=texts,
    )
