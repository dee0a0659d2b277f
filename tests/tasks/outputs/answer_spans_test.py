import math

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies

from keras_bert.tasks.inputs.answer_windows import WindowSizes
from keras_bert.tasks.inputs.question_preprocessor import window_answers
from keras_bert.tasks.outputs.answer_spans import Answer
from keras_bert.tasks.outputs.answer_spans import Answers
from keras_bert.tasks.outputs.answer_spans import decode_answers
from keras_bert.tasks.outputs.answer_spans import n_best
from keras_bert.tasks.outputs.answer_spans import plain_answer

_LETTERS = "aéz中ßx𝒙defghij"
_QUESTION = 2
_WIDTH = 12
_CONTEXT_START = 4
# Windows of 7 tokens start at tokens 0 and 3; the first owns tokens 0 to 4.
_WINDOWS = WindowSizes(_WIDTH, 3, _QUESTION).windows(_QUESTION, 10)


def _context(length, letters=_LETTERS):
    """Return letters as words, and the first and end byte of each."""
    sizes = np.array([len(x.encode()) for x in letters[:length]], np.int64)
    ends = np.cumsum(sizes + 1) - 1
    return " ".join(letters[:length]), ends - sizes, ends


def _logits(*values, fill=0.0):
    """Return logits with values by (start or end, window, context token)."""
    logits = np.full((2, 2, _WIDTH), fill)
    for which, window, token, value in values:
        place = _CONTEXT_START + token - _WINDOWS.starts[window]
        logits[which, window, place] = value
    return logits


def _decode(logits, context=_context(10), **options):
    return decode_answers(*context, _WINDOWS, *logits, **options)


def _all_spans(windows, logits, max_length):
    """Return every possible span with its score, best first."""
    owners = windows.owners()
    found = []
    for index, (start, length) in enumerate(
        zip(windows.starts.tolist(), windows.lengths.tolist())
    ):
        shift = windows.context_start - start
        for first in range(start, start + length):
            for last in range(first, start + length):
                if owners[first] == index and last - first < max_length:
                    score = float(logits[0, index, first + shift])
                    score += float(logits[1, index, last + shift])
                    found.append((score, first, last))
    return sorted(found, reverse=True)


@hypothesis.settings(max_examples=150, deadline=None, derandomize=True)
@hypothesis.given(
    length=strategies.integers(1, len(_LETTERS)),
    num_spaces=strategies.integers(0, 1),
    stride=strategies.integers(1, 8),
    n_best_size=strategies.integers(1, 9),
    max_length=strategies.integers(1, 14),
    seed=strategies.integers(0, 999),
)
def test_the_best_of_all_spans_are_found(
    length, num_spaces, stride, n_best_size, max_length, seed
):
    """Tokens may begin with a space, which is no part of an answer."""
    context, starts, ends = _context(length)
    windows = WindowSizes(_WIDTH, stride, _QUESTION).windows(_QUESTION, length)
    shape = (2, len(windows.starts), _WIDTH)
    random = np.random.default_rng(seed)
    logits = random.normal(size=shape).astype("float32")
    answers = decode_answers(
        *(context, np.maximum(starts - num_spaces, 0), ends, windows, *logits),
        n_best_size=n_best_size,
        max_answer_length=max_length,
    )
    expected = _all_spans(windows, logits, max_length)[:n_best_size]
    for answer, (score, first, last) in zip(
        answers.spans, expected, strict=True
    ):
        assert answer.score == pytest.approx(score)
        assert (answer.start, answer.end) == (starts[first], ends[last])
        assert answer.text == " ".join(_LETTERS[first : last + 1])
    assert answers.null.text == ""
    null_scores = logits[:, :, 0].sum(axis=0)
    assert answers.null.score == pytest.approx(null_scores.min())


def test_a_text_is_given_once_where_it_scores_best():
    logits = _logits((0, 0, 2, 2.0), (1, 0, 3, 1.0))
    spans = _decode(logits, _context(10, "abababcabd")).spans
    assert spans[0] == Answer("a b", 4, 7, 2.0, 1.0)
    texts = [answer.text for answer in spans]
    assert len({*texts}) == len(texts)
    values = [(0, 0, token, 4.0 - token) for token in range(4)]
    values += [(1, 0, token, 0.0) for token in range(4)]
    spans = _decode(
        _logits(*values, fill=-np.inf),
        _context(10, "aaabbbbbbb"),
        n_best_size=2,
        max_answer_length=1,
    ).spans
    assert [(x.text, x.score) for x in spans] == [("a", 4), ("b", 1)]


@pytest.mark.parametrize("places", [(0, 1), (1, 4), (2, 3)])
def test_of_equal_answers_the_first_comes_first(places):
    values = [(which, 0, x, 5.0) for which in (0, 1) for x in places]
    logits = np.random.default_rng(places[0]).normal(size=(2, 2, _WIDTH))
    chosen = _logits(*values)
    logits = np.where(chosen > 0, chosen, logits)
    spans = _decode(logits, n_best_size=2, max_answer_length=1).spans
    assert [x.text for x in spans] == [_LETTERS[x] for x in places]


def test_a_context_without_tokens_has_an_empty_answer():
    none = np.zeros(0, np.int64)
    windows = WindowSizes(_WIDTH, 3, _QUESTION).windows(_QUESTION, 0)
    logits = np.ones((2, 1, _WIDTH))
    answers = decode_answers("\u200b", none, none, windows, *logits)
    assert answers.spans == [Answer("", 0, 0, 0.0, 0.0)]
    assert answers.null == Answer("", 0, 0, 1.0, 1.0)


def test_probabilities_are_the_softmax_of_the_scores():
    answers = [
        Answer("cat", 0, 3, np.log(2.0), 1.0),
        Answer("", 0, 0, np.log(5.0), 1.0),
        Answer("dog", 4, 7, np.log(3.0), 1.0),
        Answer("", 0, 0, 0.0, 0.0),  # Each text is returned once.
    ]
    texts, probabilities = zip(*n_best(answers))
    assert [answer.text for answer in texts] == ["", "dog", "cat"]
    assert probabilities == pytest.approx((0.5, 0.3, 0.2))
    answers = [Answer(str(n), 0, 1, 2000.0 * n, 0.0) for n in range(3)]
    assert [p for _, p in n_best(answers)] == [1.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "threshold, expected, score, total",
    [
        (None, ("gut", 9, 12), 3.0, math.exp(3) + math.exp(1)),
        (1.0, ("gut", 9, 12), 3.0, math.exp(4) + math.exp(3) + math.exp(1)),
        (0.9, ("", 0, 0), 4.0, math.exp(4) + math.exp(3) + math.exp(1)),
    ],
)
def test_a_plain_answer_has_its_place_in_characters(
    threshold, expected, score, total
):
    answers = Answers(
        [Answer("gut", 12, 15, 2.0, 1.0), Answer("Öl", 4, 7, 0.5, 0.5)],
        Answer("", 0, 0, 2.0, 2.0),
    )
    answer = plain_answer("Ein Öl – gut", answers, threshold)
    assert answer.pop("probability") == pytest.approx(math.exp(score) / total)
    named = dict(zip(("answer", "start", "end"), expected, strict=True))
    assert answer == {**named, "score": score}


@hypothesis.settings(max_examples=60, deadline=None, derandomize=True)
@hypothesis.given(
    length=strategies.integers(0, len(_LETTERS)),
    stride=strategies.integers(1, 8),
    seed=strategies.integers(0, 999),
    null_threshold=strategies.sampled_from([None, -3.0, 0.0, 2.5]),
    max_answer_length=strategies.integers(1, 9),
)
def test_answers_in_graph_are_those_of_decode_answers(
    length, stride, seed, null_threshold, max_answer_length
):
    """Compare two questions on one context, with one row per window."""
    context, starts, ends = _context(length)
    windows = WindowSizes(_WIDTH, stride, _QUESTION).windows(_QUESTION, length)
    count, owners = len(windows.starts), windows.owners()
    # Values that float32 adds without rounding.
    random = np.random.default_rng(seed)
    logits = random.integers(-40, 40, (2, 2, count, _WIDTH)) / 4
    inputs = np.zeros((3, 2, count, _WIDTH), np.int32)
    for row, (start, size) in enumerate(zip(windows.starts, windows.lengths)):
        tokens = slice(start, start + size)
        place = slice(windows.context_start, windows.context_start + size)
        values = starts[tokens], ends[tokens], owners[tokens] == row
        inputs[..., row, place] = np.stack(values)[:, np.newaxis]
    found = window_answers(
        np.moveaxis(logits, 1, -1).reshape(-1, _WIDTH, 2).astype(np.float32),
        *inputs.reshape(3, -1, _WIDTH),
        np.repeat(np.int32([[0], [1]]), count, axis=0),
        2,
        null_threshold,
        max_answer_length,
    )
    for question, start, end, score in zip(logits, *found):
        answer = decode_answers(
            *(context, starts, ends, windows, *question),
            max_answer_length=max_answer_length,
        ).chosen(null_threshold)
        assert (answer.start, answer.end, answer.score) == (start, end, score)
