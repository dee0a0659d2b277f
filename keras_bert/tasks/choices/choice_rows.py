"""Rows of which several are one example."""

import numpy as np
import tensorflow as tf


class ChoiceRows:
    """Pairs of contexts and choices, those of one question together.

    Args:
        pairs: `PackedRows`, the first question's choices first.
        num_choices: int, how many rows a question has.

    Attributes:
        lengths: int `(num_questions,)`, the tokens of all choices of each,
            padded to its longest one.
    """

    def __init__(self, pairs, num_choices):
        self.pairs = pairs
        self.num_choices = num_choices
        longest = np.max(pairs.lengths.reshape(-1, num_choices), axis=1)
        self.lengths = num_choices * longest

    def __len__(self):
        return len(self.lengths)

    @property
    def truncated(self):
        """Says where a choice was cut, bool `(num_questions,)`."""
        return self.pairs.truncated.reshape(-1, self.num_choices).any(axis=1)

    def part(self, indices):
        """Some of the questions.

        Args:
            indices: int array `(num_questions,)`.

        Returns:
            `ChoiceRows`.
        """
        choices = np.arange(self.num_choices)
        rows = self.num_choices * np.asarray(indices)[:, np.newaxis] + choices
        return ChoiceRows(self.pairs.part(rows.reshape(-1)), self.num_choices)

    def inputs(self, indices):
        """Some questions, as wide as the longest choice among them.

        Args:
            indices: int `(batch_size,)`.

        Returns:
            A dict of int32 `(batch_size, num_choices, width)` tensors.
        """
        first = self.num_choices * tf.cast(indices, tf.int64)
        choices = tf.range(self.num_choices, dtype=tf.int64)
        return self.pairs.inputs(first[:, tf.newaxis] + choices)
