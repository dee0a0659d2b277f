"""Decoding of start and end logits into answers."""

import dataclasses

import numpy as np

from keras_bert import checks


@dataclasses.dataclass(frozen=True)
class Answer:
    """Candidate answer to a question, given as a span of the context.

    Args:
        text: str, exactly as in the context; "" stands for "no answer".
        start: int, start of the answer as a byte offset in the UTF-8 context.
        end: int, byte offset of the end, exclusive.
        start_logit: float, logit of the start position.
        end_logit: float, logit of the end position.
    """

    text: str
    start: int
    end: int
    start_logit: float
    end_logit: float

    @property
    def score(self):
        """Sum of the start and end logits."""
        return self.start_logit + self.end_logit


@dataclasses.dataclass(frozen=True)
class Answers:
    """Predicted answers to one question.

    Args:
        spans: list of `Answer` with distinct texts, best first. If the context
            has no tokens, the list contains a single empty answer with logits
            0.
        null: `Answer` that stands for "no answer".
    """

    spans: list
    null: Answer

    @property
    def null_difference(self):
        """Score of "no answer" minus the score of the best answer."""
        return self.null.score - self.spans[0].score

    def chosen(self, null_threshold=None):
        """Return the best answer, or `null` for an unanswerable question.

        Args:
            null_threshold: float. The question counts as unanswerable if
                `null_difference` is above it. If None, `null` is never
                returned.

        Returns:
            `Answer`.
        """
        if null_threshold is None or self.null_difference <= null_threshold:
            return self.spans[0]
        return self.null


def decode_answers(
    context,
    token_starts,
    token_ends,
    windows,
    start_logits,
    end_logits,
    n_best_size=20,
    max_answer_length=30,
):
    """Find the best answers to one question.

    A span is scored only in the window that owns its first token, where the
    token has the most context. The score of "no answer" is the lowest [CLS]
    score of all windows.

    Args:
        context: str.
        token_starts, token_ends: int arrays `(num_tokens,)`, byte offsets of
            the start and end of each context token.
        windows: `AnswerWindows` of the question.
        start_logits, end_logits: float arrays `(num_windows, seq_length)`.
        n_best_size: int, maximum number of answers. `n_best_size ** 2` spans
            of each window are considered; spans with the same text count once.
        max_answer_length: int, maximum length of an answer in tokens.

    Returns:
        `Answers`.

    Raises:
        ValueError: `n_best_size` or `max_answer_length` is below 1, or a logit
            is not finite.
    """
    checks.at_least(
        1, n_best_size=n_best_size, max_answer_length=max_answer_length
    )
    logits = np.stack([start_logits, end_logits]).astype(np.float64)
    # Minus infinity is allowed: it masks padding.
    for index in np.argwhere(~(logits < np.inf))[:1]:
        raise ValueError(
            f"The logits must be finite. Received: {logits[tuple(index)]} in "
            f"window {index[1]} at position {index[2]}."
        )
    data = context.encode("utf-8")
    spans = {}
    for first, last, start_logit, end_logit in _best_spans(
        windows, logits, n_best_size**2, max_answer_length
    ):
        start, end = int(token_starts[first]), int(token_ends[last])
        text = data[start:end].decode("utf-8")
        start += len(text.encode()) - len(text.lstrip().encode())
        text = text.strip()
        end = start + len(text.encode())
        if text and text not in spans:
            spans[text] = Answer(text, start, end, start_logit, end_logit)
        if len(spans) == n_best_size:
            break
    of_cls = logits[:, np.arange(logits.shape[1]), windows.cls_positions]
    least = of_cls.sum(axis=0).argmin()
    return Answers(
        [*spans.values()] or [Answer("", 0, 0, 0.0, 0.0)],
        Answer("", 0, 0, *of_cls[:, least].tolist()),
    )


def n_best(answers):
    """Compute the softmax probabilities over several answers.

    Args:
        answers: list of `Answer`: `Answers.spans` and, if the question may be
            unanswerable, `Answers.null`.

    Returns:
        A list of (`Answer`, probability) pairs with distinct texts, most
        probable first.
    """
    ranked = {}
    for answer in sorted(answers, key=lambda x: x.score, reverse=True):
        ranked.setdefault(answer.text, answer)
    scores = np.array([answer.score for answer in ranked.values()])
    weights = np.exp(scores - scores.max())
    probabilities = weights / weights.sum()
    return [*zip(ranked.values(), probabilities.tolist(), strict=True)]


def _best_spans(windows, logits, limit, max_length):
    """Return the best spans of all windows of one question.

    A span is scored in the window that owns its first token. Each item is
    (first token, last token, start logit, end logit).
    """
    owners = windows.owners()
    columns = []
    for index, (start, length) in enumerate(
        zip(windows.starts, windows.lengths, strict=True)
    ):
        tokens = slice(windows.context_start, windows.context_start + length)
        first_logits, last_logits = logits[:, index, tokens]
        owned = np.flatnonzero(owners[start : start + length] == index)
        firsts, lasts = _window_spans(
            first_logits, last_logits, owned, limit, max_length
        )
        columns.append(
            (
                firsts + start,
                lasts + start,
                first_logits[firsts],
                last_logits[lasts],
            )
        )
    columns = [np.concatenate(column) for column in zip(*columns, strict=True)]
    order = np.argsort(-(columns[2] + columns[3]), kind="stable")
    return [*zip(*(column[order].tolist() for column in columns), strict=True)]


def _window_spans(first_logits, last_logits, owned, limit, max_length):
    """Return the first and last tokens of the best spans in a window.

    In the scores, row i and column j stand for the span of j + 1 tokens that
    begins at the i-th owned token.
    """
    padding = np.full(max_length, -np.inf)
    following = np.lib.stride_tricks.sliding_window_view(
        np.append(last_logits, padding), max_length
    )
    scores = (first_logits[owned, None] + following[owned]).ravel()
    best = np.arange(len(scores))
    if len(scores) > limit:
        best = np.argpartition(scores, -limit)[-limit:]
    # Sorted, so that spans with equal scores keep the order of the text.
    best = np.sort(best[scores[best] > -np.inf])
    firsts = owned[best // max_length]
    return firsts, firsts + best % max_length


def plain_answer(context, answers, null_threshold=None):
    """Return the chosen answer as a dict with character offsets.

    Args:
        context: str.
        answers: `Answers` to a question on the context.
        null_threshold: float or None, see `Answers.chosen`.

    Returns:
        A dict with the keys `answer` (str); `score` (float), the sum of the
        two logits; `probability` (float), the softmax over the best answers,
        including "no answer" if `null_threshold` is not None; and `start` and
        `end` (int), such that `context[start:end]` is the answer.
    """
    chosen = answers.chosen(null_threshold)
    spans = answers.spans
    if null_threshold is not None:
        spans = [*spans, answers.null]
    probabilities = {span.text: share for span, share in n_best(spans)}
    before = context.encode("utf-8")[: chosen.start].decode("utf-8")
    return {
        "answer": chosen.text,
        "score": chosen.score,
        "probability": probabilities[chosen.text],
        "start": len(before),
        "end": len(before) + len(chosen.text),
    }
