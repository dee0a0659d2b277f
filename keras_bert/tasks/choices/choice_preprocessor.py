"""Contexts and their choices to the inputs of a model."""

import tensorflow as tf


class ChoicePreprocessor:
    """Packs each choice of a question with the context.

    Args:
        pairs: `Preprocessor` of pairs of texts.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, the contexts.
        choices: string tensor or lists `(batch_size, num_choices)`.

    Returns:
        A dict of int32 `(batch_size, num_choices, seq_length)` tensors, as of
        `Preprocessor`.
    """

    def __init__(self, pairs):
        self.pairs = pairs
        self.tokenizer = pairs.tokenizer
        self.template = pairs.template
        self.truncation = pairs.truncation
        self.seq_length = pairs.seq_length

    def __call__(self, texts, choices):
        choices = tf.convert_to_tensor(choices, tf.string)
        contexts = tf.repeat(texts, tf.shape(choices)[1])
        inputs = self.pairs(contexts, tf.reshape(choices, [-1]))
        shape = [*tf.unstack(tf.shape(choices)), self.seq_length]
        return {name: tf.reshape(rows, shape) for name, rows in inputs.items()}
