"""Choices of questions to the inputs of a model, in graph."""

import tensorflow as tf


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
