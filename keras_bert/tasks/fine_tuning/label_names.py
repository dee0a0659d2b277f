"""The names of a classifier's outputs."""

import numpy as np
from absl import logging

from keras_bert.tasks.fine_tuning.columns import label_indices


def with_labels(pretrained, known, labels=None):
    """A model with a head of these labels, if it has one, and the labels.

    Args:
        pretrained: `PretrainedModel`.
        known: list of str, the labels that it was trained with; None if it
            was not trained for the task.
        labels: list of str, those wanted; None for the known ones.

    Returns:
        A `PretrainedModel`, without its head if that is of other labels, and
        a list of str.

    Raises:
        ValueError: there are no labels, or the names are bad.
    """
    if labels is None and known is None:
        raise ValueError(
            "`labels` must be the names of the labels: this checkpoint "
            "has no head of a classifier that tells them."
        )
    if labels is None:
        return pretrained, known
    labels = _checked_labels(labels)
    if known not in (None, labels) and not _are_made_up(known):
        logging.info(
            "The head for the labels %s is left out; one for %s starts random.",
            ", ".join(known),
            ", ".join(labels),
        )
        pretrained = pretrained.without_task()
    return pretrained, labels


def label_weights(class_weights, labels):
    """How much the examples of each label count.

    Args:
        class_weights: dict from labels, or their places, to floats.
        labels: list of str.

    Returns:
        float32 `(num_labels,)`, 1 for labels that the dict lacks.

    Raises:
        ValueError: there is no such label, or there cannot be such weights.
    """
    weights = np.ones(len(labels), np.float32)
    weights[label_indices([*class_weights], labels)] = [*class_weights.values()]
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise ValueError(
            "`class_weights` must be at least 0 and finite, and not all 0. "
            f"Received: {class_weights}."
        )
    return weights


def _checked_labels(labels):
    labels = list(labels)
    is_text = all(isinstance(x, str) and x and x == x.strip() for x in labels)
    if not is_text or len({*labels}) != len(labels) or len(labels) < 2:
        raise ValueError(
            "`labels` must be at least two different names, as str without "
            "white space around them. "
            f"Received: labels={labels!r}."
        )
    return labels


def _are_made_up(labels):
    """Whether they are the names that transformers gives by itself."""
    return labels == [f"LABEL_{index}" for index in range(len(labels))]
