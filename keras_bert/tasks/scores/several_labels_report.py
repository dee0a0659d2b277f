"""What there is to say of a model that gives a text several labels or none."""

import numpy as np

from keras_bert.tasks.scores.calibration import calibration
from keras_bert.tasks.scores.confusion import label_rows
from keras_bert.tasks.scores.confusion import several_label_scores


def several_labels_report(classifier, texts, labels):
    """The scores and the mistakes of a classifier of several labels a text.

    Args:
        classifier: `TextClassifier` of `multi_label`.
        texts: list of str, or of pairs of str.
        labels: list with a tuple of str for each text.

    Returns:
        A dict for JSON: `scores`, `labels` (as of `label_rows`) and
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
    mistakes = [
        {
            "row": int(index),
            "label": list(labels[index]),
            "prediction": [
                name for name, is_it in zip(names, found[index]) if is_it
            ],
            "probability": float(worst[index]),
            "text": texts[index],
        }
        for index in order
    ]
    return report, mistakes
