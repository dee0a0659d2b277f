"""Names, order and loss weights of classification labels."""

from collections.abc import Mapping

import numpy as np

from keras_bert import checks
from keras_bert.messages import brief
from keras_bert.messages import listed
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.columns import plain
from keras_bert.tasks.labels import is_finite
from keras_bert.tasks.labels import label_indices


def choose_labels(known, labels=None, rename_labels=None, new_head=False):
    """Return the labels of a task and their indices in the trained head.

    Args:
        known: list of str, labels of the trained model. None if the model is
            not trained for the task.
        labels: list of str, requested labels in order, or a dict of labels
            and their ids, such as a config's `label2id` or `id2label`; None to
            use `known`.
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
    checks.flag(new_head=new_head)
    if labels is None and known is None:
        raise ValueError(
            "`labels` must be given, because this checkpoint has no "
            "classifier head with label names."
        )
    rename_labels = {} if rename_labels is None else rename_labels
    renamed = _renamed(known or [], rename_labels)
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
            f"Received: labels={brief(labels)}."
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
    if not isinstance(class_weights, Mapping):
        raise ValueError(
            "`class_weights` must be a dict mapping labels to floats, such as "
            "dict(zip(labels, weights)), or series.to_dict(). Received: "
            f"{brief(class_weights)}."
        )
    indices = label_indices([*class_weights], labels)
    if len({*indices}) < len(indices):
        raise ValueError(
            "`class_weights` must have each label once, by its name or its "
            f"index. Received: class_weights={brief(class_weights)}."
        )
    weights = np.ones(len(labels), np.float32)
    values = [*map(plain, class_weights.values())]
    are_numbers = all(map(is_finite, values))
    weights[indices] = values if are_numbers else -1
    if (weights < 0).any() or not weights.any():
        raise ValueError(
            "`class_weights` must be finite, at least 0 and not all 0. "
            f"Received: class_weights={brief(class_weights)}."
        )
    return weights


def _checked_labels(labels):
    given = labels
    labels = _in_order(labels) if isinstance(labels, Mapping) else labels
    labels = as_list(labels, "labels")
    is_text = all(isinstance(x, str) and x and x == x.strip() for x in labels)
    if not is_text or len({*labels}) != len(labels) or len(labels) < 2:
        raise ValueError(
            "`labels` must be at least two different names (str) without "
            f"leading or trailing spaces. Received: labels={brief(given)}."
        )
    return labels


def _in_order(ids):
    """Return the labels of a `label2id` or an `id2label` by their ids."""
    is_by_id = all(isinstance(value, str) for value in ids.values())
    pairs = ids.items() if is_by_id else ((x, name) for name, x in ids.items())
    names = {str(index): name for index, name in pairs}
    expected = [*map(str, range(len(ids)))]
    if {*names} != {*expected}:
        raise ValueError(
            "A dict of `labels` must map each label to its id, or each id to "
            f"its label, with all ids from 0. Received: labels={brief(ids)}."
        )
    return [names[index] for index in expected]


def _renamed(known, names):
    is_dict = isinstance(names, Mapping)
    unknown = [x for x in names if x not in known] if is_dict else [names]
    if unknown:
        raise ValueError(
            "`rename_labels` must be a dict mapping labels that the model "
            f"was trained with ({', '.join(known) or 'none'}) to new names. "
            f"Received the keys: {listed(unknown)}."
        )
    return [names.get(label, label) for label in known]


def _are_default(labels):
    """Return whether labels are the default names (LABEL_0 and so on)."""
    return labels == [f"LABEL_{index}" for index in range(len(labels))]
