"""Conversion of input labels to arrays."""

import numpy as np

from keras_bert.messages import brief
from keras_bert.messages import listed
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.columns import plain

_SEVERAL = (
    " For several labels per text, load the classifier with `multi_label=True`."
)
_LARGEST = float(np.finfo(np.float32).max)


def label_indices(labels, names):
    """Convert labels to indices into a list of names.

    Args:
        labels: list of names or indices, or of one-hot rows; rows with a
            single item, such as an `(n, 1)` array, are a list of their items.
        names: list of str.

    Returns:
        int64 `(num_labels,)`.

    Raises:
        ValueError: a label is unknown, or an int is the name of one label and
            the index of another. The message names its index.
    """
    labels = single_labels(labels, len(names))
    index_of = {name: index for index, name in enumerate(names)}
    indices = np.empty(len(labels), np.int64)
    for index, label in enumerate(labels):
        target = index_of.get(label) if isinstance(label, str) else label
        is_index = isinstance(target, int) and not isinstance(target, bool)
        if is_index and index_of.get(str(label), target) != target:
            raise ValueError(
                f"A label must not be ambiguous: {label} is the name of label "
                f"{index_of[str(label)]}, and an index. Pass names as str, or "
                f"indices as names[index]. Received: {label} at index {index}, "
                f"and the names {listed(names)}."
            )
        if not is_index or not 0 <= target < len(names):
            hint = _SEVERAL if isinstance(label, list) else ""
            raise ValueError(
                f"A label must be one of {', '.join(names[:10])}, or its "
                f"index, from 0 to {len(names) - 1}. Received: "
                f"{brief(label)} at index {index}.{hint}"
            )
        indices[index] = target
    return indices


def single_labels(labels, num_labels):
    """Convert one-hot rows to indices, and rows of one item to this item."""
    labels = _flat([*map(plain, labels)])
    if all(_are_marks(row, num_labels) and sum(row) == 1 for row in labels):
        return [row.index(1) for row in labels]
    return labels


def label_rows(labels, names):
    """Convert multi-label targets to rows of 0 and 1.

    Args:
        labels: list with a list of names or indices for each text, or with a
            row of 0 and 1 for each text.
        names: list of str.

    Returns:
        float32 `(num_texts, num_labels)` of 0 and 1.

    Raises:
        ValueError: a row has neither format, or both are possible. The
            message names the index.
    """
    rows = [_plain_row(row) for row in labels]
    if rows and all(_are_marks(row, len(names)) for row in rows):
        # Rows such as [0, 1] of two labels may be two indices.
        if all(sorted(row) == [0, 1] and type(row[0]) is int for row in rows):
            raise ValueError(
                f"`labels` is ambiguous: rows such as {rows[0]} may be label "
                "indices, or indicators 0 and 1. Pass label names, or "
                f"indicators as bool. Received: {brief(rows)}."
            )
        return np.array(rows, np.float32)
    targets = np.zeros((len(rows), len(names)), np.float32)
    for index, row in enumerate(rows):
        try:
            targets[index, _several(row, names)] = 1
        except (TypeError, ValueError) as error:
            raise ValueError(
                "If `multi_label` is True, `labels` must have a list of labels "
                f"for each text, or a row of {len(names)} indicators, 0 or 1. "
                f"Received: {brief(row)} at index {index}: {error}"
            ) from None
    return targets


def numbers(labels, num_outputs=1):
    """Check that labels are numbers, or rows of numbers.

    Args:
        labels: list of numbers, or of lists of `num_outputs` numbers if
            `num_outputs` is above 1.
        num_outputs: int.

    Returns:
        float32 `(num_labels, num_outputs)`.

    Raises:
        ValueError: a label is not a finite number; the message names its
            index.
    """
    if num_outputs == 1:
        labels = [[x] for x in _flat([*map(plain, labels)])]
    rows = [*map(_plain_row, labels)]
    for index, row in enumerate(rows):
        is_row = isinstance(row, list) and len(row) == num_outputs
        if not is_row or not all(map(is_finite, row)):
            several = f"a list of {num_outputs} finite numbers"
            wanted = "a finite number" if num_outputs == 1 else several
            value = row[0] if num_outputs == 1 else row
            raise ValueError(
                f"A label must be {wanted}. "
                f"Received: {brief(value)} at index {index}."
            )
    return np.array(rows, np.float32).reshape(-1, num_outputs)


def sample_weights(weights, count):
    """Check the weights of examples.

    Args:
        weights: list of `count` numbers, at least one above 0.
        count: int.

    Returns:
        float `(count,)`.

    Raises:
        ValueError: the number of weights is wrong, one is negative or not
            finite, or all are 0.
    """
    values = as_list(weights, "sample_weight")
    is_right = all(is_finite(x) and x >= 0 for x in values) and any(values)
    if len(values) != count or not is_right:
        raise ValueError(
            f"`sample_weight` must be a list of {count} numbers, one for each "
            "example, of at least 0, and not all 0. Received: "
            f"{len(values)} values, {brief(values)}."
        )
    return np.array(values, float)


def is_finite(value):
    """Return True for an int or a float that is finite as a float32."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= _LARGEST


def _plain_row(row):
    row = plain(row)
    is_row = isinstance(row, list | tuple | set | frozenset)
    return [*map(plain, row)] if is_row else row


def _flat(labels):
    """Return the items of rows with a single item, such as a column."""
    if all(isinstance(x, list | tuple) and len(x) == 1 for x in labels):
        return [x for (x,) in labels]
    return labels


def _several(row, names):
    """Return the label indices of one text in a multi-label task."""
    if not isinstance(row, list):
        raise TypeError("not a list.")
    indices = label_indices(row, names)
    if len({*indices.tolist()}) < len(indices):
        raise ValueError("a label occurs twice.")
    return indices


def _are_marks(row, num_labels):
    is_row = isinstance(row, list | tuple) and len(row) == num_labels
    return is_row and all(x in (0, 1) for x in row)
