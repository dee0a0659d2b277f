"""Texts that are too long for a model, in windows whose logits are pooled.

References:
    [How to fine-tune BERT](https://arxiv.org/abs/1905.05583), on long texts
"""

import numpy as np

from keras_bert.tasks.fine_tuning.encoded import packed_rows

_TEXTS_AT_ONCE = 4096


def _mean(logits, starts, counts):
    return np.add.reduceat(logits, starts) / counts[:, np.newaxis]


def _max(logits, starts, counts):
    return np.maximum.reduceat(logits, starts)


POOLINGS = {"mean": _mean, "max": _max}


def pooled(encoded, logits, pooling):
    """Pools the logits of windows.

    Args:
        encoded: `Encoded` of texts in windows.
        logits: float32 `(num_windows, num_outputs)`, of all windows.
        pooling: str, a key of `POOLINGS`.

    Returns:
        float32 `(num_texts, num_outputs)`.
    """
    rows = POOLINGS[pooling](logits, encoded.starts, encoded.counts)
    return rows.astype(np.float32)


def shared_by_windows(counts, targets, weights=None):
    """Gives each window the target of its text, and a share of its weight.

    The windows of a text weigh as much together as those of any other, and
    where all weights are 1 their mean is 1.

    Args:
        counts: int array `(num_texts,)`, how many windows each text has.
        targets: array `(num_texts, ...)`.
        weights: float32 `(num_texts,)`; all 1 by default.

    Returns:
        A dict of `targets` and `weights`, as `Encoded` takes them.
    """
    if weights is None:
        weights = np.ones(len(counts), np.float32)
    shares = weights / counts * (counts.sum() / len(counts))
    return {
        "targets": np.repeat(targets, counts, axis=0),
        "weights": np.repeat(shares, counts).astype(np.float32),
    }


def cut_texts(preprocess, stride, texts):
    """Tokenizes single texts and cuts them into windows.

    Those of a text are spread evenly, so that none is short.

    Args:
        preprocess: `Preprocessor`.
        stride: int, most tokens from the start of a window to that of the
            next, from 1 to those that a window has; None for the latter.
        texts: list of bytes.

    Returns:
        `PackedRows` of the windows of all texts, and their numbers, int
        `(num_texts,)`.
    """
    room = preprocess.seq_length - preprocess.template.num_special(False)
    windows, counts = [], []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        tokens = preprocess.tokenizer(texts[start : start + _TEXTS_AT_ONCE])
        splits = tokens.row_splits.numpy()[1:-1]
        for ids in np.split(tokens.flat_values.numpy(), splits):
            starts = _window_starts(len(ids), room, stride or room)
            windows += [ids[place : place + room] for place in starts]
            counts.append(len(starts))
    return packed_rows(preprocess, windows), np.array(counts, np.int64)


def _window_starts(length, room, stride):
    num_more = max(0, -(-(length - room) // stride))
    return np.linspace(0, max(0, length - room), 1 + num_more).astype(int)


def long_text_settings(trained, room, truncation, windows, stride):
    """Checks the settings of texts that are longer than a model can take.

    Args:
        trained: dict, those that the model was trained with; perhaps empty.
        room: int, most tokens of a text in a sequence.
        truncation, windows, stride: as `TextClassifier` takes them, or None.

    Returns:
        A dict of `truncation`, `windows` and `stride`, of which the last two
        are None where texts are cut. What the user leaves open is as trained,
        or else texts are cut at their end.

    Raises:
        ValueError: a value is none that there is, or goes not with others.
    """
    if truncation is not None and windows is not None:
        raise ValueError(
            "Longer texts are cut, by `truncation`, or read in `windows`, not "
            f"both. Received: truncation={truncation!r}, windows={windows!r}."
        )
    if truncation is None and windows is None:
        windows = trained.get("windows")
        stride = trained.get("stride") if stride is None else stride
    if windows is not None and windows not in POOLINGS:
        raise ValueError(
            f"`windows` must be one of {', '.join(POOLINGS)}. "
            f"Received: windows={windows!r}."
        )
    if stride is not None and (windows is None or not 1 <= stride <= room):
        raise ValueError(
            f"`stride` must be from 1 to {room}, the tokens that a window "
            "has besides special ones, and goes with `windows`. "
            f"Received: stride={stride}, windows={windows!r}."
        )
    return {
        "truncation": truncation or trained.get("truncation", "head"),
        "windows": windows,
        "stride": stride,
    }
