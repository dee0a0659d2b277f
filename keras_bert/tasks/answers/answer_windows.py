"""Long contexts in windows that overlap (google-research/bert)."""

import dataclasses

import numpy as np

from keras_bert import checks


@dataclasses.dataclass(frozen=True)
class AnswerWindows:
    """The windows of one question over the tokens of its context.

    Args:
        question_length: int, tokens of the question that are kept.
        context_start: int, where in each sequence the context's tokens
            begin.
        starts: int array `(num_windows,)`, the first token of each window.
        lengths: int array `(num_windows,)`.
    """

    question_length: int
    context_start: int
    starts: np.ndarray
    lengths: np.ndarray

    def owners(self):
        """Finds the window that answers for each token of the context.

        It is the first of those in which the token has most context on both
        sides; int array `(num_tokens,)`, indices of windows.
        """
        num_tokens = self.starts[-1] + self.lengths[-1]
        owners = np.zeros(num_tokens, np.int64)
        most_context = np.full(num_tokens, -1.0)
        for index, (start, length) in enumerate(
            zip(self.starts, self.lengths, strict=True)
        ):
            tokens = slice(start, start + length)
            place = np.arange(length)
            context = _context(np.minimum(place, length - 1 - place), length)
            owners[tokens][context > most_context[tokens]] = index
            np.maximum(most_context[tokens], context, out=most_context[tokens])
        return owners


@dataclasses.dataclass(frozen=True)
class WindowSizes(checks.Checked):
    """The sizes by which questions and contexts are cut to sequences.

    A sequence is [CLS] question [SEP] context [SEP], or another with all but
    one of its special tokens before the context. The question is cut at its
    end, the context into windows of the room that is left.

    Args:
        seq_length: int, most tokens of a sequence.
        doc_stride: int, from the start of a window to that of the next.
        max_query_length: int, most tokens of a question.
        num_special: int, special tokens of a sequence.

    Raises:
        ValueError: a size is too small, or there is no room for the context.
    """

    seq_length: int = checks.field(384, checks.at_least, 1)
    doc_stride: int = checks.field(128, checks.at_least, 1)
    max_query_length: int = checks.field(64, checks.at_least, 1)
    num_special: int = checks.field(3, checks.at_least, 0)

    def __post_init__(self):
        super().__post_init__()
        if self.seq_length <= self.max_query_length + self.num_special:
            raise ValueError(
                "`seq_length` must leave room for the context besides "
                f"`max_query_length` and {self.num_special} special tokens. "
                f"Received: seq_length={self.seq_length}, "
                f"max_query_length={self.max_query_length}."
            )

    def windows(self, question_length, context_length):
        """Cuts a context, of as many tokens, besides its question.

        A context without tokens has one window, which is empty.

        Returns:
            `AnswerWindows`. Each token of the context is in one at least.
        """
        question_length = min(question_length, self.max_query_length)
        room = self.seq_length - self.num_special - question_length
        step = min(room, self.doc_stride)
        num_more = max(0, -(-(context_length - room) // step))
        starts = step * np.arange(1 + num_more)
        return AnswerWindows(
            question_length,
            question_length + self.num_special - 1,
            starts,
            np.minimum(room, context_length - starts),
        )


def context_ranks(most_tokens):
    """Ranks amounts of context, for graphs without float64.

    Returns:
        Int32 array `((most_tokens + 1) // 2, most_tokens + 1)`: of a token
        with so many tokens on its nearer side in a window of so many, how
        many amounts are less.
    """
    nearest = np.arange((most_tokens + 1) // 2)
    amounts = _context(nearest[:, np.newaxis], np.arange(most_tokens + 1))
    _, ranks = np.unique(amounts, return_inverse=True)
    return ranks.reshape(amounts.shape).astype(np.int32)


def _context(nearest, length):
    """Measures a token's context; a longer window counts a little more."""
    return nearest + 0.01 * length


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
