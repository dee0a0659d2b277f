"""From tokenized questions to logits, and from these to answers."""

import numpy as np

from keras_bert.tasks.answers.answer_spans import decode_answers


def question_logits(forward, asked):
    """What a model says of questions.

    Args:
        forward: `Forward` of a model that gives `logits`, float32
            `(batch_size, seq_length, 2)`.
        asked: `QuestionRows`.

    Returns:
        A list with a float32 array `(2, num_windows, width)` for each
        question, as wide as the longest of its windows: the logits of each
        token as the first one of the answer and as the last. Padding has
        minus infinity.
    """
    logits = [None] * len(asked.rows)
    for indices, outputs in forward(asked.rows):
        for index, row in zip(indices, outputs["logits"]):
            logits[index] = row[: asked.rows.lengths[index]]
    return [_padded(logits[rows]) for rows in asked.slices()]


def row_answers(asked, logits, n_best_size=20, max_answer_length=30):
    """Answers questions.

    Args:
        asked: `QuestionRows`.
        logits: list, as of `question_logits`.
        n_best_size: int, as of `decode_answers`.
        max_answer_length: int, as of `decode_answers`.

    Returns:
        A dict from the ids of the questions to `Answers`.
    """
    return {
        question.id: decode_answers(
            question.context,
            *token_spans,
            windows,
            *both,
            n_best_size=n_best_size,
            max_answer_length=max_answer_length,
        )
        for question, windows, token_spans, both in zip(
            asked.questions, asked.windows, asked.token_spans, logits
        )
    }


def _padded(logits):
    """The rows of one question, as float32 `(2, num_rows, seq_length)`."""
    width = max(map(len, logits))
    rows = np.full((len(logits), width, 2), -np.inf, np.float32)
    for row, values in zip(rows, logits):
        row[: len(values)] = values
    return np.moveaxis(rows, -1, 0)
