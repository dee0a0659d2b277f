import unittest

import hypothesis
import numpy as np
from hypothesis import strategies

from keras_bert.tasks.answers.answer_spans import decode_answers
from keras_bert.tasks.answers.answer_windows import AnswerWindows
from keras_bert.tasks.answers.question_preprocessor import window_answers

_QUESTION = 2
_CONTEXT_START = 4


def _offsets(num_tokens, width):
    """Each token of the context is two bytes, with a space behind it."""
    starts, ends = np.zeros((2, 1, width), np.int32)
    places = slice(_CONTEXT_START, _CONTEXT_START + num_tokens)
    starts[0, places] = 3 * np.arange(num_tokens)
    ends[0, places] = starts[0, places] + 2
    return starts, ends


def _answer(logits, num_tokens, **kwargs):
    logits = np.asarray(logits, np.float32)[np.newaxis]
    starts, ends = _offsets(num_tokens, logits.shape[1])
    is_owned = (ends > 0).astype(np.int32)
    answers = window_answers(
        logits, starts, ends, is_owned, np.zeros((1, 1), np.int32), 1, **kwargs
    )
    return [x.numpy()[0] for x in answers]


class WindowAnswersTest(unittest.TestCase):
    @hypothesis.settings(max_examples=60, deadline=None, derandomize=True)
    @hypothesis.given(
        num_tokens=strategies.integers(0, 6),
        padding=strategies.integers(0, 2),
        values=strategies.lists(
            strategies.integers(-40, 40), min_size=26, max_size=26
        ),
        null_threshold=strategies.sampled_from([None, -3.0, 0.0, 2.5]),
        max_answer_length=strategies.integers(1, 9),
    )
    def test_they_are_those_of_decode_answers(
        self, num_tokens, padding, values, null_threshold, max_answer_length
    ):
        # Distinct enough that float32 adds without rounding.
        width = _CONTEXT_START + num_tokens + 1 + padding
        logits = np.array(values).reshape(13, 2)[:width] / 4
        starts, ends = (x[0, 4 : 4 + num_tokens] for x in _offsets(8, 13))
        found = decode_answers(
            "xx " * num_tokens,
            starts,
            ends,
            AnswerWindows(
                _QUESTION, _CONTEXT_START, np.array([0]), np.array([num_tokens])
            ),
            *logits.T[:, np.newaxis],
            max_answer_length=max_answer_length,
        ).chosen(null_threshold)
        start, end, score = _answer(
            logits,
            num_tokens,
            null_threshold=null_threshold,
            max_answer_length=max_answer_length,
        )
        self.assertEqual(score, found.score)
        self.assertEqual((start, end), (found.start, found.end))

    def test_the_question_and_padding_are_no_answers(self):
        logits = np.full((9, 2), -1.0)
        logits[[1, 2, 3, 7, 8]] = 50.0
        logits[5] = 1.0
        # Tokens 4, 5 and 6 are of the context.
        self.assertEqual(_answer(logits, 3), [3, 5, 2.0])

    def test_the_best_window_answers_and_the_least_tells_of_none(self):
        logits = np.zeros((4, 6, 2), np.float32)
        logits[0, 4] = 1.0  # Of question 0, not its window's to answer.
        logits[1, 4] = 0.5
        logits[2, 5] = 0.25
        logits[3, 4] = 3.0
        logits[:, 0] = [[2.0], [1.0], [0.0], [2.5]]
        starts = np.tile(np.arange(6, dtype=np.int32), (4, 1))
        is_owned = np.zeros((4, 6), np.int32)
        is_owned[1:, 4] = is_owned[0, 5] = is_owned[2, 5] = 1
        ends = np.where(np.arange(6) > 3, starts + 1, 0).astype(np.int32)
        questions = np.array([[0], [0], [0], [1]], np.int32)
        for threshold, expected in (
            (None, ([4, 4], [5, 5], [1.0, 6.0])),
            (-1.5, ([0, 0], [0, 0], [0.0, 5.0])),
            (-0.5, ([4, 4], [5, 5], [1.0, 6.0])),
        ):
            answers = window_answers(
                *(logits, starts, np.broadcast_to(ends, (4, 6)), is_owned),
                *(questions, 2, threshold),
            )
            for values, wanted in zip(answers, expected):
                np.testing.assert_array_equal(values, wanted)

    def test_no_answer_must_be_better_by_more_than_the_threshold(self):
        logits = np.zeros((7, 2))
        logits[0] = 2.0
        self.assertEqual(_answer(logits, 2, null_threshold=4.0), [0, 2, 0.0])
        self.assertEqual(_answer(logits, 2, null_threshold=3.9), [0, 0, 4.0])

    def test_no_questions_have_no_answers(self):
        nothing = np.zeros((0, 6), np.int32)
        for values in window_answers(
            np.zeros((0, 6, 2), np.float32),
            *(nothing, nothing, nothing),
            *(nothing[:, :1], 0, 0.0),
        ):
            self.assertEqual(values.shape, (0,))
