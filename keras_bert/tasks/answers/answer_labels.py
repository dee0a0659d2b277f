"""Where the answer is, as a model learns it."""

import numpy as np


def token_span(token_starts, token_ends, answer_span):
    """The tokens that share a byte with an answer.

    Args:
        token_starts: int array `(num_tokens,)`, the first byte of each token
            of the context.
        token_ends: int array `(num_tokens,)`, the byte behind each.
        answer_span: pair of int, the first byte of the answer and the one
            behind it.

    Returns:
        The first and the last token, a pair of int; None if there is none,
        as for an answer of characters that the tokenizer drops.
    """
    first = int(np.searchsorted(token_ends, answer_span[0], side="right"))
    last = int(np.searchsorted(token_starts, answer_span[1])) - 1
    return (first, last) if first <= last else None


def answer_labels(windows, span):
    """Positions of an answer in the sequence of each window.

    Args:
        windows: `AnswerWindows` of the question.
        span: pair of int, the first and the last token of the answer, or
            None.

    Returns:
        Int32 array `(2, num_windows)`, the positions of the first and of the
        last token; both are 0, that of [CLS], where the answer is not wholly
        in the window.
    """
    if span is None:
        return np.zeros((2, len(windows.starts)), np.int32)
    first, last = span
    ends = windows.starts + windows.lengths
    is_inside = (windows.starts <= first) & (last < ends)
    positions = np.array([[first], [last]]) - windows.starts
    positions += windows.context_start
    return np.where(is_inside, positions, 0).astype(np.int32)
