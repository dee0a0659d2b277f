"""Conversion of input labels to arrays."""

import numpy as np

from keras_bert.tasks.fine_tuning.columns import brief
from keras_bert.tasks.fine_tuning.columns import plain


def label_indices(labels, names):
    """Convert labels to indices into a list of names.

    Args:
        labels: list of names or indices.
        names: list of str.

    Returns:
        int64 `(num_labels,)`.

    Raises:
        ValueError: a label is unknown; the message names its index.
    """
    places = {name: place for place, name in enumerate(names)}
    indices = np.empty(len(labels), np.int64)
    for index, label in enumerate(map(plain, labels)):
        place = places.get(label) if isinstance(label, str) else label
        is_place = isinstance(place, int) and not isinstance(place, bool)
        if not is_place or not 0 <= place < len(names):
            raise ValueError(
                f"A label must be one of {', '.join(names[:10])}, or its "
                f"index, from 0 to {len(names) - 1}. Received: {label!r} at "
                f"index {index}."
            )
        indices[index] = place
    return indices


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
    are_marks = bool(rows) and all(_are_marks(row, len(names)) for row in rows)
    targets = np.zeros((len(rows), len(names)), np.float32)
    try:
        for index, row in enumerate(rows):
            targets[index, _several(row, names)] = 1
    except (TypeError, ValueError) as error:
        if are_marks:
            return np.array(rows, np.float32)
        raise ValueError(
            "If `multi_label` is True, `labels` must have a list of labels "
            f"for each text, or a row of {len(names)} indicators, 0 or 1. "
            f"Received: {brief(row)} at index {index}: {error}"
        ) from None
    if are_marks:
        raise ValueError(
            f"`labels` is ambiguous: rows such as {rows[0]} may be label "
            "indices, or indicators 0 and 1. Pass label names, or indicators "
            f"as bool. Received: {brief(rows)}."
        )
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
    rows = [_plain_row([x] if num_outputs == 1 else x) for x in labels]
    for index, row in enumerate(rows):
        is_row = isinstance(row, list) and len(row) == num_outputs
        if not is_row or not all(map(_is_finite, row)):
            several = f"a list of {num_outputs} finite numbers"
            wanted = "a finite number" if num_outputs == 1 else several
            raise ValueError(
                f"A label must be {wanted}. "
                f"Received: {brief(labels[index])} at index {index}."
            )
    return np.array(rows, np.float32).reshape(-1, num_outputs)


def _is_finite(value):
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and np.isfinite(value)


def _plain_row(row):
    row = plain(row)
    is_row = isinstance(row, list | tuple | set | frozenset)
    return [*map(plain, row)] if is_row else row


def _several(row, names):
    """Return the label indices of one text in a multi-label task."""
    if not isinstance(row, list):
        raise TypeError("not a list.")
    indices = label_indices(row, names)
    if len({*indices.tolist()}) < len(indices):
        raise ValueError("a label occurs twice.")
    return indices


def _are_marks(row, num_labels):
    is_row = isinstance(row, list) and len(row) == num_labels
    return is_row and all(x in (0, 1) for x in row)
