import unittest

import hypothesis
import numpy as np
from hypothesis import strategies

from keras_bert.tasks.answers.null_threshold import best_null_threshold

_SCORES = strategies.sampled_from([0.0, 0.25, 0.5, 1.0])
_QUESTIONS = strategies.lists(
    strategies.tuples(
        strategies.sampled_from([-7.5, -1.0, 0.0, 0.5, 1.0, 3.0]),
        _SCORES,
        strategies.sampled_from([0.0, 1.0]),
    ),
    min_size=1,
    max_size=12,
)


def _mean(differences, answer_scores, null_scores, threshold):
    return np.mean(
        [
            null if difference > threshold else answer
            for difference, answer, null in zip(
                differences, answer_scores, null_scores
            )
        ]
    )


class BestNullThresholdTest(unittest.TestCase):
    def test_the_lowest_of_the_best_is_taken(self):
        # Answering the first so many gives 2, 3, 2, 3 and 2 of 4.
        self.assertEqual(
            best_null_threshold([2, -3, 0, -1], [0, 1, 1, 0], [1, 0, 0, 1]),
            (-3.0, 0.75),
        )

    def test_equal_differences_are_on_one_side(self):
        # Answering the one and not the other would give 1.
        self.assertEqual(best_null_threshold([1, 1], [1, 0], [0, 1])[1], 0.5)

    def test_all_may_stay_without_an_answer(self):
        self.assertEqual(
            best_null_threshold([0.2, 0.9], [0, 0], [1, 0]), (0.0, 0.5)
        )
        threshold, score = best_null_threshold([0.0, -4.0], [0, 0], [1, 1])
        self.assertLess(threshold, -4.0)
        self.assertGreater(threshold, -4.0001)
        self.assertEqual(score, 1.0)

    @hypothesis.settings(max_examples=200, deadline=None, derandomize=True)
    @hypothesis.given(questions=_QUESTIONS)
    def test_no_threshold_does_better(self, questions):
        arrays = [*zip(*questions)]
        threshold, score = best_null_threshold(*arrays)
        self.assertAlmostEqual(score, _mean(*arrays, threshold))
        for other in (-9.0, *arrays[0], 9.0):
            self.assertLessEqual(_mean(*arrays, other), score + 1e-9)

    def test_arrays_that_do_not_fit_are_refused(self):
        for arrays, shown in (
            (([], [], []), r"\[\(0,\), \(0,\), \(0,\)\]"),
            (([1.0], [1.0, 0.0], [1.0]), r"\[\(1,\), \(2,\), \(1,\)\]"),
            ((1.0, 1.0, 1.0), r"\[\(\), \(\), \(\)\]"),
        ):
            with self.assertRaisesRegex(ValueError, f"shapes: {shown}"):
                best_null_threshold(*arrays)

    def test_differences_that_are_not_finite_are_refused(self):
        for value in (np.nan, np.inf):
            with self.assertRaisesRegex(ValueError, f"{value} at index 1"):
                best_null_threshold([0.0, value], [1, 1], [0, 0])
