"""From tokenized questions to their answers."""

import numpy as np

from keras_bert.tasks.answers.answer_spans import decode_answers


def row_answers(forward, asked, n_best_size=20, max_answer_length=30):
    """Answers questions with a model.

    Args:
        forward: `Forward` of a model that gives `logits`, float32
            `(batch_size, seq_length, 2)`.
        asked: `QuestionRows`.
        n_best_size: int, as of `decode_answers`.
        max_answer_length: int, as of `decode_answers`.

    Returns:
        A dict from the ids of the questions to `Answers`.
    """
    logits = [None] * len(asked.rows)
    for indices, outputs in forward(asked.rows):
        for index, row in zip(indices, outputs["logits"]):
            logits[index] = row[: asked.rows.lengths[index]]
    return {
        question.id: decode_answers(
            question.context,
            *token_spans,
            windows,
            *_padded(logits[rows]),
            n_best_size=n_best_size,
            max_answer_length=max_answer_length,
        )
        for question, windows, token_spans, rows in zip(
            asked.questions, asked.windows, asked.token_spans, asked.slices()
        )
    }


def _padded(logits):
    """The rows of one question, as float32 `(2, num_rows, seq_length)`."""
    width = max(map(len, logits))
    rows = np.full((len(logits), width, 2), -np.inf, np.float32)
    for row, values in zip(rows, logits):
        row[: len(values)] = values
    return np.moveaxis(rows, -1, 0)
