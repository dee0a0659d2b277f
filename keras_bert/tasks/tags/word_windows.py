"""Sentences in windows, cut where words end, and back to words."""

import typing

import numpy as np

from keras_bert import checks
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
    checks.at_least(1, room=room)
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


class Words(list):
    """Sentences as lists of words, which are not to be found in texts."""


class Sentences:
    """The words of sentences, tokenized, in windows that a model can take.

    Args:
        preprocess: `Preprocessor`.
        pieces: list of `WordPieces`, one for each sentence.
        words: list with a list of str for each sentence.
        texts: list of str, where the words are from; None if they came as
            words.
        spans: list with a list of pairs of int for each text, the first
            character of each word and the one behind it; or None.
        tags: list with a list of str for each sentence; None if it has to be
            tagged.

    Attributes:
        rows: `PackedRows` of the windows, special tokens included.
        labels: list with an int32 array `(num_tokens,)` for each window, as
            `tagged` makes them, or None.
    """

    def __init__(
        self, preprocess, pieces, words, texts=None, spans=None, tags=None
    ):
        self.words, self.texts, self.spans = words, texts, spans
        self.tags, self.labels = tags, None
        template = preprocess.template
        room = preprocess.seq_length - template.num_special(is_pair=False)
        windows = cut_windows(pieces, room)
        self.rows = packed_rows(preprocess, [w.ids for w in windows])
        layout = [word for word, _ in template.layout(is_pair=False)]
        before = layout.index(FIRST)
        # Of each window the sentence, the words, and the places in the row of
        # their first pieces.
        self._words = [
            (
                w.sentence,
                w.words[w.is_first],
                before + np.flatnonzero(w.is_first),
            )
            for w in windows
        ]

    def encoded(self, **learned):
        """Makes `Encoded` of the windows; these sentences are its context."""
        words = Words(self.words)
        return Encoded(
            self.rows, decode_context=self, ensemble_encodings=words, **learned
        )

    def tagged(self, places, label_weights):
        """Gives the first piece of each word the label of the word.

        Args:
            places: list with a list of int for each sentence, the place of
                each tag among the labels.
            label_weights: float32 `(num_labels,)`, the weight of the words of
                each label.

        Returns:
            `Encoded`; the `labels` are `IGNORED` at all other tokens.

        References:
            [BERT](https://arxiv.org/abs/1810.04805), section 5.3
        """
        places = [np.asarray(row, np.int32) for row in places]
        self.labels = self.at_first_pieces(places, IGNORED)
        labels = np.concatenate([np.zeros(0, np.int32), *self.labels])
        is_labelled = labels != IGNORED
        targets = np.where(is_labelled, labels, 0)
        return self.encoded(
            targets=targets,
            weights=is_labelled * label_weights[targets],
            num_labels=len(label_weights),
        )

    def at_first_pieces(self, values, missing):
        """Gives the first piece of each word the value of the word.

        Args:
            values: list with an array `(num_words, ...)` for each sentence.
            missing: the value of all other tokens.

        Returns:
            A list with an array `(num_tokens, ...)` for each row.
        """
        rows = []
        for length, (sentence, words, firsts) in zip(
            self.rows.lengths, self._words, strict=True
        ):
            own = values[sentence]
            row = np.full((length, *own.shape[1:]), missing, own.dtype)
            row[firsts] = own[words]
            rows.append(row)
        return rows

    def of_words(self, values, missing):
        """Takes for each word the value at its first piece.

        Args:
            values: list with an array `(num_tokens,)` for each row.
            missing: the value of a word without a piece.

        Returns:
            A list with a list of values for each sentence.
        """
        result = [[missing] * len(words) for words in self.words]
        for row, (sentence, words, firsts) in zip(
            values, self._words, strict=True
        ):
            for word, first in zip(words, firsts, strict=True):
                result[sentence][word] = row[first]
        return result
