"""Windows of sentences as the inputs of a model, and back to words."""

import numpy as np

from keras_bert.tasks.fine_tuning.examples import packed_rows
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
        """The label of each token: that of a word at its first piece.

        Args:
            places: list with a list of int for each sentence, one for each
                word.

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
        """What a model gives at the first piece of each word.

        Args:
            values: list with an array `(num_tokens,)` for each row.
            lengths: list of int, how many words each sentence has.
            missing: the value of a word without a piece.

        Returns:
            A list with a list of values for each sentence.
        """
        before, _ = self._margins
        pieces = [row[before:] for row in values]
        return gather_words(self._windows, pieces, lengths, missing)

    def probabilities(self, logits, lengths, missing, num_labels):
        """The probabilities of labels that a model gives to each word.

        Args:
            logits: list with a float array `(num_tokens, num_labels)` for
                each row.
            lengths: list of int, how many words each sentence has.
            missing: int, the label of a word without a piece.
            num_labels: int.

        Returns:
            A list with a float32 array `(num_words, num_labels)` for each
            sentence.
        """
        certain = np.eye(num_labels, dtype=np.float32)[missing]
        rows = [_softmax(row) for row in logits]
        return [
            np.reshape(np.array(words, np.float32), (-1, num_labels))
            for words in self.of_words(rows, lengths, certain)
        ]


def _softmax(logits):
    shares = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return shares / shares.sum(axis=-1, keepdims=True)
