"""What there is to say of a model on labelled texts, for JSON."""

import numpy as np

from keras_bert.tasks.fine_tuning.columns import label_indices
from keras_bert.tasks.scores.calibration import calibration
from keras_bert.tasks.scores.confusion import confusion_matrix
from keras_bert.tasks.scores.confusion import label_scores
from keras_bert.tasks.scores.confusion import label_table
from keras_bert.tasks.scores.metrics import glue_scores


def classifier_report(classifier, texts, labels, glue=None):
    """The scores and the mistakes of a classifier of one label a text.

    Args:
        classifier: `TextClassifier`.
        texts: list of str, or of pairs of str.
        labels: list of str.
        glue: `GlueTask` whose official scores are added, or None.

    Returns:
        A dict for JSON: `scores`, `labels` (as of `label_table`),
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
    mistakes = [
        {
            "row": int(index),
            "label": labels[index],
            "prediction": predictions[index],
            "probability": float(sure[index]),
            "text": texts[index],
        }
        for index in order
    ]
    return report, mistakes


def regressor_report(regressor, texts, labels, glue=None):
    """The scores of a regressor, and where it is furthest off.

    Args:
        regressor: `TextRegressor`.
        texts: list of str, or of pairs of str.
        labels: list of float.
        glue: `GlueTask` whose official scores are added, or None.

    Returns:
        A dict for JSON of `scores`; and a list of dicts, the largest errors
        first.
    """
    scores = regressor.evaluate(texts, labels)
    predictions = regressor.predict(texts)
    if glue:
        scores |= glue_scores(glue.name, labels, predictions)
    errors = np.abs(np.array(labels) - predictions)
    mistakes = [
        {
            "row": int(index),
            "label": labels[index],
            "prediction": predictions[index],
            "text": texts[index],
        }
        for index in np.argsort(-errors, kind="stable")
    ]
    return {"scores": scores}, mistakes
