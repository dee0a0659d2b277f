"""Sentences that are too long for a model, cut where words end."""

import typing

import numpy as np

IGNORED = -1


class Window(typing.NamedTuple):
    """Neighbouring words of a sentence that fit in a sequence.

    Args:
        sentence: int, index of the sentence.
        ids: int32 `(num_pieces,)`.
        words: int64 `(num_pieces,)`, the index in the sentence of the word
            of each piece.
    """

    sentence: int
    ids: np.ndarray
    words: np.ndarray

    @property
    def is_first(self):
        """Marks each piece that is the first of its word, bool."""
        return np.diff(self.words, prepend=-1) != 0


def cut_windows(sentences, room):
    """Cuts sentences into windows that do not overlap.

    Each takes in as many words as it can hold. Words without a piece are in
    none. A word of more pieces than a window can hold has one of its own,
    with its first pieces.

    Args:
        sentences: list of `WordPieces`.
        room: int, most pieces of a window, without special tokens.

    Returns:
        A list of `Window`, in order.

    Raises:
        ValueError: `room` is below 1.
    """
    if room < 1:
        raise ValueError(f"`room` must be at least 1. Received: room={room}.")
    windows = []
    for sentence, (ids, words) in enumerate(sentences):
        word_ends = np.flatnonzero(np.diff(words, append=-1)) + 1
        start = 0
        while start < len(ids):
            # The word at the start is taken in, whatever its length.
            first = np.searchsorted(word_ends, start, side="right")
            after = np.searchsorted(word_ends, start + room, side="right")
            end = word_ends[max(first, after - 1)]
            inside = slice(start, min(end, start + room))
            windows.append(Window(sentence, ids[inside], words[inside]))
            start = end
    return windows


def label_pieces(windows, labels):
    """Gives the first piece of each word the label of the word.

    Args:
        windows: list of `Window`.
        labels: list with a list of int for each sentence, one for each word.

    Returns:
        A list of int32 arrays `(num_pieces,)`, one for each window, with
        `IGNORED` at all other pieces.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 5.3
    """
    return [
        np.where(
            window.is_first,
            np.asarray(labels[window.sentence], np.int32)[window.words],
            np.int32(IGNORED),
        )
        for window in windows
    ]


def gather_words(windows, values, lengths, missing):
    """Takes for each word the value at its first piece.

    Args:
        windows: list of `Window`.
        values: list with an array for each window, a value for each piece;
            any after these are left out.
        lengths: list of int, the number of words of each sentence.
        missing: the value of a word without a piece, such as the id of "O".

    Returns:
        A list with a list of values for each sentence, one for each word.
    """
    result = [[missing] * length for length in lengths]
    for window, row in zip(windows, values, strict=True):
        for piece in np.flatnonzero(window.is_first):
            result[window.sentence][window.words[piece]] = row[piece]
    return result
