"""Scores and mistakes of a model on labelled texts, for JSON."""

import itertools

import numpy as np

from keras_bert.programs.reports.calibration import calibration
from keras_bert.tasks.fine_tuning.labels import label_indices
from keras_bert.tasks.scores import confusion_matrix
from keras_bert.tasks.scores import glue_scores
from keras_bert.tasks.scores import label_rows
from keras_bert.tasks.scores import label_scores
from keras_bert.tasks.scores import label_table
from keras_bert.tasks.scores import several_label_scores


def classifier_report(classifier, texts, labels, glue=None):
    """Lists the scores and the mistakes of a classifier of one label a text.

    Args:
        classifier: `TextClassifier`.
        texts: list of str, or of pairs of str.
        labels: list of str.
        glue: `GlueTask` whose official scores are added, or None.

    Returns:
        A dict for JSON: `scores`, `labels` (a `label_table`),
        `confusion_matrix` and `calibration`; and a list of dicts, the
        mistakes, the most confident first.
    """
    names = classifier.labels
    probabilities = classifier.probabilities(texts)
    found = probabilities.argmax(1)
    sure = probabilities.max(1)
    right = label_indices(labels, names)
    matrix = confusion_matrix(right, found, len(names))
    predictions = [names[place] for place in found]
    scores = label_scores(matrix)
    if glue:
        scores |= glue_scores(glue.name, labels, predictions)
    report = {
        "scores": scores,
        "labels": label_table(matrix, names),
        "confusion_matrix": matrix.tolist(),
        "calibration": calibration(sure, found == right),
    }
    wrong = np.flatnonzero(found != right)
    order = wrong[np.argsort(-sure[wrong], kind="stable")]
    return report, _mistakes(
        order,
        label=labels,
        prediction=predictions,
        probability=sure.tolist(),
        text=texts,
    )


def regressor_report(regressor, texts, labels, glue=None):
    """Lists the scores of a regressor, and its largest errors.

    Args:
        regressor: `TextRegressor`.
        texts, labels, glue: as `classifier_report` takes them; labels are
            floats.

    Returns:
        A dict for JSON of `scores`; and a list of dicts, the largest errors
        first.
    """
    scores = regressor.evaluate(texts, labels)
    predictions = regressor.predict(texts)
    if glue:
        scores |= glue_scores(glue.name, labels, predictions)
    errors = np.abs(np.array(labels) - predictions)
    return {"scores": scores}, _mistakes(
        np.argsort(-errors, kind="stable"),
        label=labels,
        prediction=predictions,
        text=texts,
    )


def several_labels_report(classifier, texts, labels):
    """Lists the scores and the mistakes of a classifier of several labels.

    Args:
        classifier: `TextClassifier` of `multi_label`.
        texts: list of str, or of pairs of str.
        labels: list with a tuple of str for each text.

    Returns:
        A dict for JSON: `scores`, `labels` (as made by `label_rows`) and
        `calibration`, over the decisions on each text and label; and a list
        of dicts, the texts with a label too many or too few, those with the
        most confident wrong decision first.
    """
    names = classifier.labels
    probabilities = classifier.probabilities(texts)
    found = probabilities >= 0.5
    given = np.array([[name in row for name in names] for row in labels])
    sure = np.where(found, probabilities, 1 - probabilities)
    is_wrong = found != given
    report = {
        "scores": several_label_scores(given, found),
        "labels": label_rows(
            (given & found).sum(0), given.sum(0), found.sum(0), names
        ),
        "calibration": calibration(sure.ravel(), ~is_wrong.ravel()),
    }
    worst = np.where(is_wrong, sure, 0.0).max(axis=1)
    order = np.argsort(-worst, kind="stable")[: is_wrong.any(1).sum()]
    return report, _mistakes(
        order,
        label=[list(row) for row in labels],
        prediction=[[*itertools.compress(names, row)] for row in found],
        probability=worst.tolist(),
        text=texts,
    )


def _mistakes(order, **columns):
    """Makes dicts of the rows of some columns."""
    return [
        {"row": row, **{name: x[row] for name, x in columns.items()}}
        for row in order.tolist()
    ]
