"""Sentences in windows, cut where words end, and back to words."""

import dataclasses
import typing

import numpy as np

from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.encoded import packed_rows
from keras_bert.template import FIRST

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


class SentenceWindows:
    """Sentences in windows that a model can take.

    Args:
        preprocess: `Preprocessor`.
        sentences: list of `WordPieces`.

    Attributes:
        rows: `PackedRows` of the windows, special tokens included.
    """

    def __init__(self, preprocess, sentences):
        template = preprocess.template
        num_special = template.num_special(is_pair=False)
        layout = [word for word, _ in template.layout(is_pair=False)]
        before = layout.index(FIRST)
        self._margins = (before, num_special - before)
        self._windows = cut_windows(
            sentences, preprocess.seq_length - num_special
        )
        self.rows = packed_rows(preprocess, [w.ids for w in self._windows])

    def labels(self, places):
        """Labels each token: a word's first piece has the label of the word.

        Args:
            places: list with a list of int, the label of each word, for each
                sentence.

        Returns:
            int32 `(num_tokens,)`, the tokens of all rows one after another;
            `IGNORED` at all but first pieces.
        """
        labels = [
            np.pad(row, self._margins, constant_values=IGNORED)
            for row in label_pieces(self._windows, places)
        ]
        return np.concatenate([np.zeros(0, np.int32), *labels])

    def of_words(self, values, lengths, missing):
        """Takes for each word the value at its first piece.

        Args:
            values: list with an array `(num_tokens,)` for each row.
            lengths: list of int, the number of words of each sentence.
            missing: the value of a word without a piece.

        Returns:
            A list with a list of values for each sentence.
        """
        before, _ = self._margins
        pieces = [row[before:] for row in values]
        return gather_words(self._windows, pieces, lengths, missing)


class Words(list):
    """Sentences as lists of words, which are not to be found in texts."""


@dataclasses.dataclass(frozen=True)
class Sentences:
    """The words of sentences, tokenized.

    Args:
        windows: `SentenceWindows` of them.
        words: list with a list of str for each sentence.
        texts: list of str, where the words are from; None if they came as
            words.
        spans: list with a list of pairs of int for each text, the first
            character of each word and the one behind it; or None.
        tags: list with a list of str for each sentence; None if it has to be
            tagged.
        labels: list with an int32 array `(num_tokens,)` for each window, or
            None.
    """

    windows: SentenceWindows
    words: list
    texts: list | None = None
    spans: list | None = None
    tags: list | None = None
    labels: list | None = None

    def encoded(self, **learned):
        """Makes `Encoded` of the windows; these are its origin."""
        words = Words(self.words)
        rows = self.windows.rows
        return Encoded(rows, origin=self, alike=words, **learned)


def tagged_windows(windows, words, tags, places, label_weights):
    """Labels the first piece of each word.

    Args:
        windows: `SentenceWindows`.
        words, tags: lists with a list of str for each sentence.
        places: the same, the place of each tag among the labels.
        label_weights: float32 `(num_labels,)`, the weight of the words of
            each label.

    Returns:
        `Encoded`.
    """
    labels = windows.labels(places)
    is_labelled = labels != IGNORED
    targets = np.where(is_labelled, labels, 0)
    by_window = np.split(labels, np.cumsum(windows.rows.lengths)[:-1])
    return Sentences(windows, words, tags=tags, labels=by_window).encoded(
        targets=targets,
        weights=is_labelled * label_weights[targets],
        num_labels=len(label_weights),
    )
