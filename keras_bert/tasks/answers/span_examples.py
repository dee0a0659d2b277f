"""Tokenized questions as examples to learn from."""

import numpy as np
from absl import logging

from keras_bert.tasks.answers.question_rows import questions_of
from keras_bert.tasks.fine_tuning.encoded import Encoded

_NUM_NAMED = 5


def with_spans(encoded):
    """Gives windows the places of their answers.

    Where a window does not hold the whole answer, [CLS] is the answer. A
    question has the weight 0 if no answer is where the data say; a warning
    counts such questions.

    Args:
        encoded: `Encoded`, as returned by `question_rows`.

    Returns:
        `Encoded` with the targets that `SpanCrossEntropy` takes.

    Raises:
        ValueError: no question can be learned from.
    """
    origin = encoded.origin
    questions = questions_of(encoded)
    spans = [
        q.answer_span and token_span(*token_spans, q.answer_span)
        for q, _, token_spans in origin
    ]
    is_known = [
        question.is_impossible or span is not None
        for question, span in zip(questions, spans, strict=True)
    ]
    pairs = zip(questions, is_known, strict=True)
    lost = [question.id for question, known in pairs if not known]
    if len(lost) == len(questions):
        raise ValueError(
            "Some answers must be where the data say. Received: "
            f"{len(lost)} question(s), none of which can be learned from. The "
            f"first: {lost[0]!r}."
        )
    if lost:
        logging.warning(
            "%d of %d questions are left out of training: no answer is where "
            "the data say. The first: %s.",
            len(lost),
            len(questions),
            ", ".join(lost[:_NUM_NAMED]),
        )
    labels = [
        answer_labels(asked.windows, span)
        for asked, span in zip(origin, spans, strict=True)
    ]
    columns = [*np.concatenate(labels, axis=1), encoded.rows.lengths]
    return Encoded(
        encoded.rows,
        encoded.counts,
        targets=np.stack(columns, axis=1).astype(np.int32),
        weights=np.repeat(is_known, encoded.counts).astype(np.float32),
        origin=origin,
    )


def token_span(token_starts, token_ends, answer_span):
    """Finds the tokens that share a byte with an answer.

    Args:
        token_starts, token_ends: int arrays `(num_tokens,)`, the first byte of
            each token of the context, and the byte behind it.
        answer_span: pair of int, the same of the answer.

    Returns:
        The first and the last token, a pair of int; None if there is none, as
        for an answer of characters that the tokenizer drops.
    """
    first = int(np.searchsorted(token_ends, answer_span[0], side="right"))
    last = int(np.searchsorted(token_starts, answer_span[1])) - 1
    return (first, last) if first <= last else None


def answer_labels(windows, span):
    """Finds the positions of an answer in the sequence of each window.

    Args:
        windows: `AnswerWindows` of the question.
        span: pair of int, the answer's first and last token, or None.

    Returns:
        Int32 array `(2, num_windows)`, the positions of both tokens; they are
        0, that of [CLS], where the answer is not wholly in the window.
    """
    if span is None:
        return np.zeros((2, len(windows.starts)), np.int32)
    first, last = span
    ends = windows.starts + windows.lengths
    is_inside = (windows.starts <= first) & (last < ends)
    positions = np.array([[first], [last]]) - windows.starts
    positions += windows.context_start
    return np.where(is_inside, positions, 0).astype(np.int32)
