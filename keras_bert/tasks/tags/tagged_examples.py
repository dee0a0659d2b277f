"""Tagged sentences as a model learns them."""

import numpy as np

from keras_bert.tasks.fine_tuning.examples import TokenExamples
from keras_bert.tasks.tags.word_windows import IGNORED


class TaggedExamples(TokenExamples):
    """Windows of sentences, the first piece of each word labelled.

    Args:
        windows: `SentenceWindows`.
        tags: list with a list of str for each sentence.
        places: the same, the place of each tag among the labels.
        label_weights: float32 `(num_labels,)`, how much the words of each
            label count.

    Attributes:
        labels: list with an int32 array `(num_tokens,)` for each window, as
            of `SentenceWindows.labels`.
    """

    def __init__(self, windows, tags, places, label_weights):
        labels = windows.labels(places)
        is_labelled = labels != IGNORED
        targets = np.where(is_labelled, labels, 0)
        weights = is_labelled * label_weights[targets]
        super().__init__(windows.rows, targets, weights, len(label_weights))
        self.windows = windows
        self.labels = np.split(labels, np.cumsum(self.lengths)[:-1])
        self.tags = tags

    @property
    def num_words(self):
        """How many words each sentence has, a list of int."""
        return [len(row) for row in self.tags]
