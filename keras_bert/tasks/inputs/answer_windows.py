"""Overlapping windows over long contexts, as in google-research/bert."""

import dataclasses
from typing import Annotated

import numpy as np

from keras_bert import checks
from keras_bert.checks import Check


@dataclasses.dataclass(frozen=True)
class AnswerWindows:
    """Context windows for one question.

    Args:
        question_length: int, number of tokens in the truncated question.
        context_start: int, position of the first context token in each
            sequence.
        starts: int array `(num_windows,)`, first context token of each window.
        lengths: int array `(num_windows,)`, number of tokens in each window.
        cls_positions: int array `(num_windows,)`, position of [CLS] in each
            sequence; 0 if it is always the first token.
    """

    question_length: int
    context_start: int
    starts: np.ndarray
    lengths: np.ndarray
    cls_positions: np.ndarray | int = 0

    def owners(self):
        """Return the index of the window that owns each context token.

        The owner is the first window where the token has the most context on
        both sides ("max context"). The result is an int array `(num_tokens,)`.
        """
        num_tokens = self.starts[-1] + self.lengths[-1]
        owners = np.zeros(num_tokens, np.int64)
        most_context = np.full(num_tokens, -1.0)
        for index, (start, length) in enumerate(
            zip(self.starts, self.lengths, strict=True)
        ):
            tokens = slice(start, start + length)
            positions = np.arange(length)
            context = _context(
                np.minimum(positions, length - 1 - positions), length
            )
            owners[tokens][context > most_context[tokens]] = index
            np.maximum(most_context[tokens], context, out=most_context[tokens])
        return owners


@dataclasses.dataclass(frozen=True)
class WindowSizes(checks.Checked):
    """Window sizes for extractive question answering.

    A sequence is [CLS] question [SEP] context [SEP], or another template in
    which only the last special token follows the context; or, as in XLNet,
    context [SEP] question [SEP] [CLS]. The question is
    truncated at its end; the context is split into windows that fit the rest.

    Args:
        seq_length: int, maximum length of a sequence in tokens.
        doc_stride: int, number of tokens between the starts of consecutive
            windows.
        max_query_length: int, maximum length of a question in tokens.
        num_special: int, number of special tokens in a sequence.
        context_first: bool, whether the context comes first and [CLS] last.

    Raises:
        ValueError: a size is too small, or leaves no room for the context.
    """

    seq_length: Annotated[int, Check(checks.at_least, 1)] = 384
    doc_stride: Annotated[int, Check(checks.at_least, 1)] = 128
    max_query_length: Annotated[int, Check(checks.at_least, 1)] = 64
    num_special: Annotated[int, Check(checks.at_least, 0)] = 3
    context_first: Annotated[bool, Check(checks.flag)] = False

    def __post_init__(self):
        super().__post_init__()
        if self.seq_length <= self.max_query_length + self.num_special:
            raise ValueError(
                "`seq_length` must leave room for the context after "
                f"`max_query_length` and {self.num_special} special tokens. "
                f"Received: seq_length={self.seq_length}, "
                f"max_query_length={self.max_query_length}."
            )

    def windows(self, question_length, context_length):
        """Split a context into windows.

        An empty context gets one empty window.

        Args:
            question_length: int, number of question tokens.
            context_length: int, number of context tokens.

        Returns:
            `AnswerWindows`. Each context token is in at least one window.
        """
        question_length = min(question_length, self.max_query_length)
        room = self.seq_length - self.num_special - question_length
        step = min(room, self.doc_stride)
        num_more = max(0, -(-(context_length - room) // step))
        starts = step * np.arange(1 + num_more)
        lengths = np.minimum(room, context_length - starts)
        others = question_length + self.num_special - 1
        if self.context_first:
            return AnswerWindows(
                question_length, 0, starts, lengths, others + lengths
            )
        return AnswerWindows(question_length, others, starts, lengths)


def context_ranks(most_tokens):
    """Return a table of integer ranks for the "max context" score.

    TensorFlow graphs compare ranks because TFLite has no float64.

    Args:
        most_tokens: int, maximum number of tokens in a window.

    Returns:
        Int32 array `((most_tokens + 1) // 2, most_tokens + 1)`, indexed by the
        number of tokens on the shorter side and by the length of the window.
    """
    nearest = np.arange((most_tokens + 1) // 2)
    amounts = _context(nearest[:, np.newaxis], np.arange(most_tokens + 1))
    _, ranks = np.unique(amounts, return_inverse=True)
    return ranks.reshape(amounts.shape).astype(np.int32)


def _context(nearest, length):
    """Compute the "max context" score with a bonus for long windows."""
    return nearest + 0.01 * length


def token_span(token_starts, token_ends, answer_span):
    """Find the tokens that overlap an answer.

    Args:
        token_starts, token_ends: int arrays `(num_tokens,)`, byte offsets of
            the start and the end of each context token.
        answer_span: pair of int, byte offsets of the answer.

    Returns:
        The indices of the first and the last token (pair of int), or None if
        no token overlaps the answer, for example because the tokenizer drops
        its characters.
    """
    first = int(np.searchsorted(token_ends, answer_span[0], side="right"))
    last = int(np.searchsorted(token_starts, answer_span[1])) - 1
    return (first, last) if first <= last else None


def answer_labels(windows, span):
    """Compute the start and end positions of an answer in each window.

    Args:
        windows: `AnswerWindows` of the question.
        span: pair of int, first and last context token of the answer, or None.

    Returns:
        Int32 array `(2, num_windows)`: start and end positions. Both are the
        position of [CLS] if the window does not contain the whole answer.
    """
    first, last = span or (-1, -1)
    ends = windows.starts + windows.lengths
    is_inside = (windows.starts <= first) & (last < ends)
    positions = np.array([[first], [last]]) - windows.starts
    positions += windows.context_start
    positions = np.where(is_inside, positions, windows.cls_positions)
    return positions.astype(np.int32)
