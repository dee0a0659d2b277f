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
        """Marks questions of which a choice was cut, bool."""
        return self.pairs.truncated.reshape(-1, self.num_choices).any(axis=1)

    def part(self, indices):
        """Takes some of the questions, by their indices."""
        choices = np.arange(self.num_choices)
        rows = self.num_choices * np.asarray(indices)[:, np.newaxis] + choices
        return ChoiceRows(self.pairs.part(rows.reshape(-1)), self.num_choices)

    def inputs(self, indices):
        """Lays some questions out as wide as the longest choice among them.

        Returns:
            A dict of int32 `(batch_size, num_choices, width)` tensors.
        """
        first = self.num_choices * tf.cast(indices, tf.int64)
        choices = tf.range(self.num_choices, dtype=tf.int64)
        return self.pairs.inputs(first[:, tf.newaxis] + choices)


class ChoicePreprocessor:
    """Packs each choice of a question with the context.

    Args:
        pairs: `Preprocessor` of pairs of texts.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, the contexts.
        choices: string tensor or lists `(batch_size, num_choices)`.

    Returns:
        A dict of int32 `(batch_size, num_choices, seq_length)` tensors, as
        returned by `Preprocessor`.
    """

    def __init__(self, pairs):
        self.pairs = pairs
        self.tokenizer = pairs.tokenizer
        self.template = pairs.template
        self.truncation = pairs.truncation
        self.seq_length = pairs.seq_length

    def __call__(self, texts, choices):
        inputs, _ = self.encode(texts, choices)
        return inputs

    def encode(self, texts, choices):
        """Packs choices and marks cut ones, as `Preprocessor` does."""
        choices = tf.convert_to_tensor(choices, tf.string)
        shape = tf.shape(choices)
        contexts = tf.repeat(texts, shape[1])
        inputs, are_cut = self.pairs.encode(contexts, tf.reshape(choices, [-1]))
        rows = [*tf.unstack(shape), self.seq_length]
        return (
            {name: tf.reshape(x, rows) for name, x in inputs.items()},
            tf.reduce_any(tf.reshape(are_cut, shape), axis=1),
        )
