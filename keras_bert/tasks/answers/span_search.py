"""The spans of a context that score best, of all that may be answers."""

import numpy as np


def best_spans(windows, logits, limit, max_length):
    """Finds the best spans in the windows of one question.

    A span lies in one window, the owner of its first token.

    Args:
        windows: `AnswerWindows`.
        logits: float array `(2, num_windows, seq_length)`, of the spans'
            first and last tokens.
        limit: int, most spans of a window.
        max_length: int, most tokens of a span.

    Returns:
        A list of tuples, the highest sum of logits first: the first and the
        last token in the context, and their logits.
    """
    owners = windows.owners()
    columns = []
    for index, (start, length) in enumerate(
        zip(windows.starts, windows.lengths)
    ):
        place = slice(windows.context_start, windows.context_start + length)
        first_logits, last_logits = logits[:, index, place]
        owned = np.flatnonzero(owners[start : start + length] == index)
        firsts, lasts = _window_spans(
            first_logits, last_logits, owned, limit, max_length
        )
        columns.append(
            (
                *(firsts + start, lasts + start),
                *(first_logits[firsts], last_logits[lasts]),
            )
        )
    columns = [np.concatenate(column) for column in zip(*columns)]
    order = np.argsort(-(columns[2] + columns[3]), kind="stable")
    return [*zip(*(column[order].tolist() for column in columns))]


def _window_spans(first_logits, last_logits, owned, limit, max_length):
    """First and last tokens of the best spans of one window.

    Row i, column j of the scores is the span of j + 1 tokens that begins at
    the i-th token that is owned.
    """
    behind = np.full(max_length, -np.inf)
    following = np.lib.stride_tricks.sliding_window_view(
        np.append(last_logits, behind), max_length
    )
    scores = (first_logits[owned, None] + following[owned]).ravel()
    best = np.arange(len(scores))
    if len(scores) > limit:
        best = np.argpartition(scores, -limit)[-limit:]
    # In the order of the text, for spans that score the same.
    best = np.sort(best[scores[best] > -np.inf])
    firsts = owned[best // max_length]
    return firsts, firsts + best % max_length
