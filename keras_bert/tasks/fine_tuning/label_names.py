"""Names, order and loss weights of classification labels."""

import numpy as np

from keras_bert.tasks.fine_tuning.labels import label_indices


def choose_labels(known, labels=None, rename_labels=None, new_head=False):
    """Return the labels of a task and their indices in the trained head.

    Args:
        known: list of str, labels of the trained model. None if the model is
            not trained for the task.
        labels: list of str, requested labels in order; None to use `known`.
        rename_labels: dict mapping known labels to new names, or None.
        new_head: bool, whether to replace the trained head with a random one.

    Returns:
        The labels (list of str) and the index of each label in the trained
        head (list of int). The second list is empty for a new random head, or
        None if there is no trained head.

    Raises:
        ValueError: no labels are given or known, the names are invalid, or the
            trained head has different labels.
    """
    if labels is None and known is None:
        raise ValueError(
            "`labels` must be given, because this checkpoint has no "
            "classifier head with label names."
        )
    renamed = _renamed(known or [], rename_labels or {})
    labels = _checked_labels(renamed if labels is None else labels)
    if known is None or new_head:
        return labels, [] if new_head else None
    is_permuted = {*labels} == {*renamed}
    if not is_permuted and len(labels) == len(known) and _are_default(renamed):
        return labels, [*range(len(known))]
    if not is_permuted:
        raise ValueError(
            f"This model was trained for the labels {', '.join(renamed)}. "
            "Pass `rename_labels` to give them other names, or new_head=True "
            "to replace the trained head with a random one. "
            f"Received: labels={labels!r}."
        )
    return labels, [renamed.index(label) for label in labels]


def label_weights(class_weights, labels):
    """Return the weight of each label, float32 `(num_labels,)`.

    Args:
        class_weights: dict mapping labels, or their indices, to floats. Missing
            labels have weight 1.
        labels: list of str.

    Raises:
        ValueError: a label is unknown, or a weight is invalid.
    """
    if not isinstance(class_weights, dict):
        raise ValueError(
            "`class_weights` must be a dict mapping labels to floats. "
            f"Received: {class_weights!r}."
        )
    weights = np.ones(len(labels), np.float32)
    weights[label_indices([*class_weights], labels)] = [*class_weights.values()]
    if not (np.isfinite(weights) & (weights >= 0)).all() or not weights.any():
        raise ValueError(
            "`class_weights` must be finite, at least 0 and not all 0. "
            f"Received: class_weights={class_weights}."
        )
    return weights


def _checked_labels(labels):
    labels = list(labels)
    is_text = all(isinstance(x, str) and x and x == x.strip() for x in labels)
    if not is_text or len({*labels}) != len(labels) or len(labels) < 2:
        raise ValueError(
            "`labels` must be at least two different names (str) without "
            f"leading or trailing spaces. Received: labels={labels!r}."
        )
    return labels


def _renamed(known, names):
    unknown = [label for label in names if label not in known]
    if unknown:
        raise ValueError(
            "`rename_labels` must be a dict mapping labels that the model "
            f"was trained with ({', '.join(known) or 'none'}) to new names. "
            f"Received the keys: {', '.join(map(repr, unknown))}."
        )
    return [names.get(label, label) for label in known]


def _are_default(labels):
    """Return whether labels are the default names (LABEL_0 and so on)."""
    return labels == [f"LABEL_{index}" for index in range(len(labels))]
