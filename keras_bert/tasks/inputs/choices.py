"""Input checks and preprocessing for multiple-choice questions."""

import numpy as np

from keras_bert.lazy_tensorflow import tf
from keras_bert.messages import brief
from keras_bert.summary import Summarized
from keras_bert.tasks.columns import LABELS_INCLUDED
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.columns import as_rows
from keras_bert.tasks.columns import checked_texts
from keras_bert.tasks.columns import included_labels
from keras_bert.tasks.columns import split_examples
from keras_bert.tasks.inputs.inputs import Inputs
from keras_bert.tasks.labels import single_labels
from keras_bert.tasks.multiple_choice_example import MultipleChoiceExample
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.text.preprocessor import Preprocessor

_KEYS = (("text", "choices"),)


def as_questions(questions):
    """Return questions as a list of `MultipleChoiceExample`s or pairs.

    Args:
        questions: list of `MultipleChoiceExample`, or of (context, choices)
            pairs with a str and a list of str; or mappings or columns with the
            keys `text` and `choices`.
    """
    return as_rows(questions, _KEYS)


def encoded_questions(questions):
    """Encode questions as UTF-8.

    Args:
        questions: result of `as_questions`. All questions must have the same
            number of choices.

    Returns:
        The contexts (list of bytes) and the choices (a list of bytes for each
        question).

    Raises:
        ValueError: a question is malformed; the message names its position.
    """
    contexts, choices = [], []
    for index, question in enumerate(questions):
        context, *texts = _encoded(question, _where(question, index))
        contexts.append(context)
        choices.append(texts)
        if len(texts) != len(choices[0]):
            raise ValueError(
                "All questions must have the same number of choices, "
                f"{len(choices[0])}. Received: {len(texts)} choices at "
                f"{_where(question, index)}."
            )
    return contexts, choices


def checked_choice_labels(questions, labels, num_choices):
    """Check that labels are indices of choices, and return them.

    Args:
        questions: result of `as_questions`.
        labels: list of int, one for each question, or of one-hot rows.
        num_choices: int.

    Raises:
        ValueError: a label is not an index; the message names its position.
    """
    labels = single_labels(labels, num_choices)
    for index, (question, label) in enumerate(
        zip(questions, labels, strict=True)
    ):
        is_index = isinstance(label, int) and not isinstance(label, bool)
        if not is_index or not 0 <= label < num_choices:
            raise ValueError(
                "Each label must be the index of a choice, from 0 to "
                f"{num_choices - 1}. Received: {brief(label)} at "
                f"{_where(question, index)}."
            )
    return labels


def _where(question, index):
    is_read = isinstance(question, MultipleChoiceExample)
    return question.where if is_read else f"index {index}"


def _encoded(question, where):
    """Encode the context and the choices of a question as UTF-8."""
    if isinstance(question, MultipleChoiceExample):
        question = (question.context, question.choices)
    try:
        context, choices = question
        choices = as_list(choices)
        is_right = not isinstance(question, str) and len(choices) > 1
    except (TypeError, ValueError):
        is_right = False
    if not is_right:
        raise ValueError(
            "A question must be a pair of a context and a list of two or more "
            f"choices. Received: {brief(question)} at {where}."
        )
    try:
        return checked_texts([context, *choices])
    except ValueError as error:
        raise ValueError(
            "Invalid texts, the context followed by its choices, at "
            f"{where}: {error}"
        ) from None


class Choices(Inputs):
    """Inputs for `MultipleChoice`: contexts with their choices.

    Args:
        pretrained: `PretrainedModel`.
        template: `Template`.
        settings: dict with `seq_length`.
    """

    text_inputs = ("text", "choices")
    text_shapes = {"choices": (None, None)}

    def __init__(self, pretrained, template, settings):
        tokenizer, seq_length = pretrained.tokenizer, settings["seq_length"]
        pairs = Preprocessor(tokenizer, template, seq_length)
        self.preprocess = ChoicePreprocessor(pairs)

    def read(self, questions):
        return encoded_questions(as_questions(questions))

    def read_labelled(self, questions, labels):
        if labels is LABELS_INCLUDED:
            questions, labels = included_labels(questions)
            if labels is None:
                questions = as_questions(questions)
                labels = [getattr(x, "label", None) for x in questions]
        questions, labels = split_examples(questions, labels, _KEYS)
        contexts, choices = encoded_questions(questions)
        indices = checked_choice_labels(questions, labels, len(choices[0]))
        targets = np.eye(len(choices[0]), dtype=np.float32)[indices]
        return (contexts, choices), targets

    def encode(self, questions, targets=None, weights=None):
        contexts, choices = questions
        num_choices = len(choices[0]) if choices else 2
        seconds = [choice for several in choices for choice in several]
        firsts = [context for context in contexts for _ in range(num_choices)]
        rows = tokenized_rows(self.preprocess.pairs, firsts, seconds)
        return Encoded(
            rows,
            np.full(len(contexts), num_choices),
            groups=np.arange(len(rows)).reshape(-1, num_choices),
            targets=targets,
        )

    def join(self, encoded, logits):
        return logits.reshape(encoded.groups.shape)


class ChoicePreprocessor(Summarized):
    """Preprocessor that packs the context with each choice.

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

    _facts = Preprocessor._facts

    def __call__(self, texts, choices):
        inputs, _ = self.encode(texts, choices)
        return inputs

    def encode(self, texts, choices):
        """Return the packed questions and a bool mask of truncated ones."""
        choices = tf.convert_to_tensor(choices, tf.string)
        shape = tf.shape(choices)
        contexts = tf.repeat(texts, shape[1])
        inputs, truncated = self.pairs.encode(
            contexts, tf.reshape(choices, [-1])
        )
        rows = [*tf.unstack(shape), self.seq_length]
        return (
            {name: tf.reshape(x, rows) for name, x in inputs.items()},
            tf.reduce_any(tf.reshape(truncated, shape), axis=1),
        )
