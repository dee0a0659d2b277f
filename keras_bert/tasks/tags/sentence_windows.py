"""Windows of sentences as the inputs of a model, and back to words."""

import dataclasses

import numpy as np

from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.encoded import packed_rows
from keras_bert.tasks.tags.word_windows import IGNORED
from keras_bert.tasks.tags.word_windows import cut_windows
from keras_bert.tasks.tags.word_windows import gather_words
from keras_bert.tasks.tags.word_windows import label_pieces
from keras_bert.template import FIRST


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
