"""From the logits of a question's windows to its answers."""

import dataclasses

import numpy as np

from keras_bert import checks


@dataclasses.dataclass(frozen=True)
class Answer:
    """A stretch of the context that may answer a question.

    Args:
        text: str, exactly as in the context; "" is no answer.
        start: int, its first byte in the context's UTF-8.
        end: int, the byte behind it.
        start_logit: float.
        end_logit: float.
    """

    text: str
    start: int
    end: int
    start_logit: float
    end_logit: float

    @property
    def score(self):
        """The sum of the logits."""
        return self.start_logit + self.end_logit


@dataclasses.dataclass(frozen=True)
class Answers:
    """A model's answers to one question.

    Args:
        spans: list of `Answer`, the best first, no text twice. A context
            without a token has one: "" with logits 0.
        null: `Answer`, that there is none.
    """

    spans: list
    null: Answer

    @property
    def null_difference(self):
        """The lead of no answer over the best answer."""
        return self.null.score - self.spans[0].score

    def chosen(self, null_threshold=None):
        """The best answer, or that there is none.

        Args:
            null_threshold: float. There is none where `null_difference` is
                above it. None: there is always one.

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
    """Finds the best answers to one question.

    An answer begins and ends at tokens of the context in one window, which
    is the owner of the first. So it is looked at where it has most context.
    No answer scores as [CLS] does, in the window where that is least.

    Args:
        context: str.
        token_starts, token_ends: int arrays `(num_tokens,)`, the first byte
            of each token of the context, and the byte behind it.
        windows: `AnswerWindows` of the question.
        start_logits, end_logits: float arrays `(num_windows, seq_length)`.
        n_best_size: int, most answers. The square of it is how many spans of
            each window are looked at; fewer answers are left where these
            repeat their texts.
        max_answer_length: int, most tokens of an answer.

    Returns:
        `Answers`.

    Raises:
        ValueError: a number is below 1, or a logit is not a number.
    """
    checks.at_least(
        1, n_best_size=n_best_size, max_answer_length=max_answer_length
    )
    logits = np.stack([start_logits, end_logits]).astype(np.float64)
    # Padding may be masked by minus infinity.
    for place in np.argwhere(~(logits < np.inf))[:1]:
        raise ValueError(
            f"The logits must be finite. Received: {logits[tuple(place)]} in "
            f"window {place[1]} at position {place[2]}."
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
    least = logits[:, :, 0].sum(axis=0).argmin()
    return Answers(
        [*spans.values()] or [Answer("", 0, 0, 0.0, 0.0)],
        Answer("", 0, 0, *logits[:, least, 0].tolist()),
    )


def n_best(answers):
    """Gives answers their probabilities among each other.

    Args:
        answers: list of `Answer`: the spans of `Answers` and, where no answer
            is allowed, its `null`.

    Returns:
        A list of pairs of `Answer` and float, the best first, no text twice.
    """
    ranked = {}
    for answer in sorted(answers, key=lambda x: x.score, reverse=True):
        ranked.setdefault(answer.text, answer)
    scores = np.array([answer.score for answer in ranked.values()])
    weights = np.exp(scores - scores.max())
    probabilities = weights / weights.sum()
    return [*zip(ranked.values(), probabilities.tolist(), strict=True)]


def _best_spans(windows, logits, limit, max_length):
    """Finds the best spans in the windows of one question.

    A span lies in one window, the owner of its first token. Of each there are
    its first and last token in the context, and their logits.
    """
    owners = windows.owners()
    columns = []
    for index, (start, length) in enumerate(
        zip(windows.starts, windows.lengths, strict=True)
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
    columns = [np.concatenate(column) for column in zip(*columns, strict=True)]
    order = np.argsort(-(columns[2] + columns[3]), kind="stable")
    return [*zip(*(column[order].tolist() for column in columns), strict=True)]


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


def plain_answer(context, answers, null_threshold=None):
    """Describes the chosen answer, with its place in characters.

    Args:
        context: str.
        answers: `Answers` to a question on it.
        null_threshold: float, as `Answers.chosen` takes it, or None.

    Returns:
        A dict: `answer`, str; `score`, float, the sum of its logits;
        `probability`, float, among the best answers, of which no answer is
        one if there is a threshold; `start` and `end`, int, so that
        `context[start:end]` is the answer.
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
