"""Reports on the answers of a fine-tuned model: scores and mistakes."""

import itertools

import numpy as np

from keras_bert.tasks.fine_tuning.labels import label_indices
from keras_bert.tasks.scores import confusion_matrix
from keras_bert.tasks.scores import glue_scores
from keras_bert.tasks.scores import label_rows
from keras_bert.tasks.scores import label_scores
from keras_bert.tasks.scores import label_table
from keras_bert.tasks.scores import several_label_scores

_BINS = 10


def calibration(confidences, is_right):
    """Compare probabilities with the share of answers that are right.

    Args:
        confidences: float array `(num_examples,)`, the probability of each
            answer, from 0 to 1.
        is_right: bool array `(num_examples,)`.

    Returns:
        A dict for JSON: `bins`, a list of dicts of `confidence` (the mean),
        `accuracy` and `count` for each tenth of the range with any answers;
        and `expected_error`, the mean difference of the two over all examples.

    References:
        [Guo et al.](https://arxiv.org/abs/1706.04599), section 2
    """
    confidences, is_right = np.asarray(confidences), np.asarray(is_right)
    places = np.minimum((confidences * _BINS).astype(int), _BINS - 1)
    bins = [
        {
            "confidence": float(confidences[places == place].mean()),
            "accuracy": float(is_right[places == place].mean()),
            "count": int((places == place).sum()),
        }
        for place in np.unique(places)
    ]
    error = sum(x["count"] * abs(x["confidence"] - x["accuracy"]) for x in bins)
    return {"bins": bins, "expected_error": error / len(confidences)}


def confusion_report(right, found, names):
    """Return the scores, the table of labels and the confusion matrix.

    Args:
        right, found: int arrays `(num_examples,)`, indices into `names`.
        names: list of str, the labels.

    Returns:
        A dict for JSON.
    """
    matrix = confusion_matrix(right, found, len(names))
    return {
        "scores": label_scores(matrix),
        "labels": label_table(matrix, names),
        "confusion_matrix": matrix.tolist(),
    }


def worst_rows(is_wrong, errors, **columns):
    """Return the wrong rows of some columns, the largest error first.

    Args:
        is_wrong: bool array `(num_rows,)`.
        errors: float array `(num_rows,)`, such as the confidence of an answer.
        **columns: lists of values for JSON.

    Returns:
        A list of dicts.
    """
    wrong = np.flatnonzero(is_wrong)
    order = wrong[np.argsort(-np.asarray(errors)[wrong], kind="stable")]
    return [
        {name: column[row] for name, column in columns.items()}
        for row in order.tolist()
    ]


def classifier_report(classifier, places, texts, labels, glue=None):
    """Report on a classifier of one label for each text.

    Args:
        classifier: `TextClassifier`.
        places: list of str, where the texts stand.
        texts: list of str, or of pairs of str.
        labels: list of str.
        glue: `GlueTask` whose official scores are added, or None.

    Returns:
        The dict of `confusion_report` with the key `calibration`, for JSON,
        and a list of dicts with the mistakes, most confident first.
    """
    names = classifier.labels
    probabilities = classifier.probabilities(texts)
    found, sure = probabilities.argmax(1), probabilities.max(1)
    right = label_indices(labels, names)
    predictions = [names[index] for index in found]
    report = confusion_report(right, found, names)
    if glue:
        report["scores"] |= glue_scores(glue.name, labels, predictions)
    report["calibration"] = calibration(sure, found == right)
    return report, worst_rows(
        found != right,
        sure,
        place=places,
        label=labels,
        prediction=predictions,
        probability=sure.tolist(),
        text=texts,
    )


def regressor_report(regressor, places, texts, labels, glue=None):
    """Report on a regressor.

    Args:
        regressor: `TextRegressor`.
        places, texts, labels, glue: as in `classifier_report`; labels are
            floats.

    Returns:
        A dict for JSON of `scores`; and a list of dicts, all texts, the
        largest error first.
    """
    scores = regressor.evaluate(texts, labels)
    predictions = regressor.predict(texts)
    if glue:
        scores |= glue_scores(glue.name, labels, predictions)
    return {"scores": scores}, worst_rows(
        np.full(len(labels), True),
        np.abs(np.array(labels) - predictions),
        place=places,
        label=labels,
        prediction=predictions,
        text=texts,
    )


def several_labels_report(classifier, places, texts, labels, glue=None):
    """Report on a classifier of any number of labels for each text.

    Args:
        classifier: `TextClassifier` with `multi_label`.
        places, texts: as in `classifier_report`.
        labels: list with a tuple of str for each text.
        glue: None; no task of GLUE has several labels.

    Returns:
        A dict for JSON: `scores`, `labels` (as made by `label_rows`) and
        `calibration`, over the decisions on each text and label; and a list
        of dicts, the texts with a wrong decision, the most confident first.
    """
    names = classifier.labels
    probabilities = classifier.probabilities(texts)
    found = probabilities >= 0.5
    given = np.array([[name in row for name in names] for row in labels])
    sure = np.where(found, probabilities, 1 - probabilities)
    is_wrong = found != given
    counts = (given & found).sum(0), given.sum(0), found.sum(0)
    report = {
        "scores": several_label_scores(given, found),
        "labels": label_rows(*counts, names),
        "calibration": calibration(sure.ravel(), ~is_wrong.ravel()),
    }
    worst = np.where(is_wrong, sure, 0.0).max(axis=1)
    return report, worst_rows(
        is_wrong.any(1),
        worst,
        place=places,
        label=[list(row) for row in labels],
        prediction=[[*itertools.compress(names, row)] for row in found],
        probability=worst.tolist(),
        text=texts,
    )
