import itertools
import math
import unittest

import hypothesis
import numpy as np
from hypothesis import strategies

from keras_bert.tasks.answers.answer_spans import Answer
from keras_bert.tasks.answers.answer_spans import Answers
from keras_bert.tasks.answers.answer_spans import decode_answers
from keras_bert.tasks.answers.answer_spans import n_best
from keras_bert.tasks.answers.answer_spans import plain_answer
from keras_bert.tasks.answers.answer_windows import WindowSizes

_LETTERS = "aéz中ßx𝒙defghij"
_QUESTION = 2
_WIDTH = 12


def _context(length, letters=_LETTERS):
    """Letters as words, and the first and end bytes of each."""
    ends = np.cumsum([len(x.encode()) + 1 for x in letters[:length]]) - 1
    sizes = [len(x.encode()) for x in letters[:length]]
    starts = ends - np.array(sizes, np.int64)
    return " ".join(letters[:length]), starts, ends


def _random_logits(windows, seed):
    shape = (2, len(windows.starts), _WIDTH)
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def _all_spans(windows, logits, max_length):
    """Every span that may be an answer, with its score, best first."""
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


class DecodeAnswersTest(unittest.TestCase):
    # Windows of 7 tokens, of which the first 4 are the first one's own.
    windows = WindowSizes(_WIDTH, 3, _QUESTION).windows(_QUESTION, 10)

    def setUp(self):
        self.context = _context(10)
        self.logits = np.zeros((2, 2, _WIDTH))

    def decode(self, **options):
        return decode_answers(
            *self.context, self.windows, *self.logits, **options
        )

    def set_logit(self, which, window, token, value):
        position = self.windows.context_start + token
        position -= self.windows.starts[window]
        self.logits[which, window, position] = value

    def test_the_windows_are_as_the_tests_need_them(self):
        self.assertEqual(self.windows.starts.tolist(), [0, 3])
        self.assertEqual(self.windows.lengths.tolist(), [7, 7])
        self.assertEqual(self.windows.owners().tolist(), [0] * 5 + [1] * 5)

    def test_an_answer_is_text_of_the_context_with_its_bytes(self):
        self.set_logit(0, 0, 1, 3.0)
        self.set_logit(1, 0, 3, 2.0)
        best = self.decode().spans[0]
        # a, é and two spaces are 1 + 1 + 2 + 1 bytes; é z 中 are 8.
        self.assertEqual(best, Answer("é z 中", 2, 10, 3.0, 2.0))
        self.assertEqual(best.score, 5.0)

    def test_white_space_around_an_answer_is_left_out(self):
        context, starts, ends = self.context
        self.context = context, np.maximum(starts - 1, 0), ends
        self.set_logit(0, 0, 1, 3.0)
        self.set_logit(1, 0, 3, 2.0)
        best = self.decode().spans[0]
        self.assertEqual(best, Answer("é z 中", 2, 10, 3.0, 2.0))

    @hypothesis.settings(max_examples=150, deadline=None, derandomize=True)
    @hypothesis.given(
        length=strategies.integers(1, len(_LETTERS)),
        stride=strategies.integers(1, 8),
        n_best_size=strategies.integers(1, 9),
        max_length=strategies.integers(1, 14),
        seed=strategies.integers(0, 999),
    )
    def test_the_best_of_all_spans_are_found(
        self, length, stride, n_best_size, max_length, seed
    ):
        context, starts, ends = _context(length)
        sizes = WindowSizes(_WIDTH, stride, _QUESTION)
        windows = sizes.windows(_QUESTION, length)
        logits = _random_logits(windows, seed)
        answers = decode_answers(
            *(context, starts, ends, windows, *logits),
            n_best_size=n_best_size,
            max_answer_length=max_length,
        )
        expected = _all_spans(windows, logits, max_length)[:n_best_size]
        self.assertEqual(len(answers.spans), len(expected))
        for answer, (score, first, last) in zip(answers.spans, expected):
            self.assertAlmostEqual(answer.score, score)
            self.assertEqual(
                (answer.start, answer.end), (starts[first], ends[last])
            )
            self.assertEqual(answer.text, " ".join(_LETTERS[first : last + 1]))

    def test_only_tokens_of_the_context_count(self):
        tokens = slice(self.windows.context_start, -1)
        for padding in (99.0, -np.inf):
            self.logits[:] = padding
            self.logits[:, :, tokens] = 0.0
            self.set_logit(0, 1, 7, 1.0)
            self.set_logit(1, 1, 8, 1.0)
            self.assertEqual(self.decode().spans[0].score, 2.0)

    def test_a_start_counts_in_its_own_window_only(self):
        self.set_logit(0, 0, 6, 9.0)
        self.set_logit(0, 1, 6, 1.0)
        best = self.decode().spans[0]
        # Nothing speaks for an end: the shortest comes first.
        self.assertEqual(best, Answer("𝒙", 16, 20, 1.0, 0.0))

    def test_an_end_may_be_owned_by_another_window(self):
        self.set_logit(0, 0, 4, 2.0)
        self.set_logit(1, 0, 6, 2.0)
        self.assertEqual(self.decode().spans[0].text, "ß x 𝒙")

    def test_an_answer_is_not_longer_than_allowed(self):
        self.set_logit(0, 0, 0, 5.0)
        self.set_logit(1, 0, 3, 5.0)
        self.assertEqual(self.decode(max_answer_length=4).spans[0].score, 10.0)
        best = self.decode(max_answer_length=3).spans[0]
        self.assertEqual((best.score, best.text), (5.0, "a"))

    def test_a_text_is_given_once_where_it_scores_best(self):
        self.context = _context(10, "abababcabd")
        self.set_logit(0, 0, 2, 2.0)
        self.set_logit(1, 0, 3, 2.0)
        spans = self.decode().spans
        self.assertEqual(spans[0], Answer("a b", 4, 7, 2.0, 2.0))
        texts = [answer.text for answer in spans]
        self.assertEqual(len({*texts}), len(texts))

    def test_other_texts_follow_one_that_stands_often(self):
        self.context = _context(10, "aaabbbbbbb")
        self.logits[:] = -np.inf
        for token, value in enumerate((4.0, 3.0, 2.0, 1.0)):
            self.set_logit(0, 0, token, value)
            self.set_logit(1, 0, token, 0.0)
        spans = self.decode(n_best_size=2, max_answer_length=1).spans
        self.assertEqual(
            [(x.text, x.score) for x in spans], [("a", 4), ("b", 1)]
        )

    def test_of_equal_answers_the_first_comes_first(self):
        for first, second in itertools.combinations(range(5), 2):
            self.logits = _random_logits(self.windows, first)
            for token in (first, second):
                self.set_logit(0, 0, token, 5.0)
                self.set_logit(1, 0, token, 5.0)
            spans = self.decode(n_best_size=2, max_answer_length=1).spans
            texts = [answer.text for answer in spans]
            self.assertEqual(texts, [_LETTERS[first], _LETTERS[second]])

    def test_no_answer_scores_as_cls_does_at_the_least(self):
        self.logits[:, :, 0] = [[4.0, 1.0], [-1.0, 1.5]]
        self.set_logit(0, 0, 2, 0.5)
        answers = self.decode()
        self.assertEqual(answers.null, Answer("", 0, 0, 1.0, 1.5))
        self.assertEqual(answers.null_difference, 2.0)

    def test_a_context_without_tokens_has_an_empty_answer(self):
        none = np.zeros(0, np.int64)
        windows = WindowSizes(_WIDTH, 3, _QUESTION).windows(_QUESTION, 0)
        logits = np.ones((2, 1, _WIDTH))
        answers = decode_answers("\u200b", none, none, windows, *logits)
        self.assertEqual(answers.spans, [Answer("", 0, 0, 0.0, 0.0)])
        self.assertEqual(answers.null, Answer("", 0, 0, 1.0, 1.0))
        self.assertEqual(answers.null_difference, 2.0)

    def test_bad_input_is_refused(self):
        for options, message in (
            ({"n_best_size": 0}, "n_best_size=0"),
            ({"max_answer_length": -2}, "max_answer_length=-2"),
        ):
            with self.assertRaisesRegex(ValueError, message):
                self.decode(**options)
        for shapes in (
            ((1, _WIDTH), (1, _WIDTH)),
            ((2, _WIDTH), (2, 11)),
            ((2, 10), (2, 10)),
            ((_WIDTH,), (_WIDTH,)),
        ):
            self.logits = [*map(np.zeros, shapes)]
            with self.assertRaisesRegex(
                ValueError, r"2 window\(s\) with at least 11 tokens.*Received"
            ):
                self.decode()

    def test_logits_that_are_no_numbers_are_refused(self):
        for value in (np.nan, np.inf):
            self.logits[1, 1, 5] = value
            with self.assertRaisesRegex(
                ValueError, f"{value} in window 1 at position 5"
            ):
                self.decode()


class NBestTest(unittest.TestCase):
    def test_probabilities_are_the_softmax_of_the_scores(self):
        answers = [
            Answer("cat", 0, 3, np.log(2.0), 1.0),
            Answer("", 0, 0, np.log(5.0), 1.0),
            Answer("dog", 4, 7, np.log(3.0), 1.0),
        ]
        ranked = n_best(answers)
        self.assertEqual([a.text for a, _ in ranked], ["", "dog", "cat"])
        for (_, probability), expected in zip(ranked, (0.5, 0.3, 0.2)):
            self.assertAlmostEqual(probability, expected)

    def test_large_scores_do_not_overflow(self):
        answers = [Answer(str(n), 0, 1, 2000.0 * n, 0.0) for n in range(3)]
        self.assertEqual([p for _, p in n_best(answers)], [1.0, 0.0, 0.0])

    def test_a_text_is_given_once(self):
        answers = [Answer("", 0, 0, 0.0, 0.0), Answer("", 0, 0, 1.0, 1.0)]
        self.assertEqual(n_best(answers), [(answers[1], 1.0)])


_CONTEXT = "Ein Öl – gut"
_ANSWERS = Answers(
    [Answer("gut", 12, 15, 2.0, 1.0), Answer("Öl", 4, 7, 0.5, 0.5)],
    Answer("", 0, 0, 2.0, 2.0),
)


class PlainAnswerTest(unittest.TestCase):
    def test_its_place_is_in_characters(self):
        answer = plain_answer(_CONTEXT, _ANSWERS)
        share = math.exp(3) / (math.exp(3) + math.exp(1))
        self.assertAlmostEqual(answer.pop("probability"), share)
        self.assertEqual(
            answer, {"answer": "gut", "score": 3.0, "start": 9, "end": 12}
        )
        self.assertEqual(_CONTEXT[9:12], "gut")

    def test_with_a_threshold_no_answer_is_among_them(self):
        total = math.exp(4) + math.exp(3) + math.exp(1)
        answer = plain_answer(_CONTEXT, _ANSWERS, 1.0)
        self.assertEqual(answer["answer"], "gut")
        self.assertAlmostEqual(answer["probability"], math.exp(3) / total)
        answer = plain_answer(_CONTEXT, _ANSWERS, 0.9)
        self.assertAlmostEqual(answer.pop("probability"), math.exp(4) / total)
        self.assertEqual(
            answer, {"answer": "", "score": 4.0, "start": 0, "end": 0}
        )
