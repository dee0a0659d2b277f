import unittest

import numpy as np

from keras_bert.data.labelled.squad import SquadQuestion
from keras_bert.tasks.answers.answer_spans import Answer
from keras_bert.tasks.answers.answer_spans import Answers
from keras_bert.tasks.answers.squad_scores import answer_metrics
from keras_bert.tasks.answers.squad_scores import is_one_answer


def _question(name, *texts):
    answers = tuple((text, 0) for text in texts)
    return SquadQuestion(name, "q", "c", answers, not texts, None)


def _answers(text, start=0, difference=0.0):
    null = Answer("", 0, 0, difference, 0.0)
    return Answers([Answer(text, start, start + 3, 0.0, 0.0)], null)


class AnswerMetricsTest(unittest.TestCase):
    def test_each_question_has_an_answer(self):
        questions = [_question("a", "red cat"), _question("b", "dog")]
        answers = {"a": _answers("red"), "b": _answers("dog")}
        metrics = answer_metrics(questions, answers, None)
        self.assertEqual([*metrics], ["exact_match", "f1", "total"])
        self.assertEqual(metrics["exact_match"], 50.0)
        np.testing.assert_allclose(metrics["f1"], 100 * (2 / 3 + 1) / 2)

    def test_a_threshold_counts_where_no_question_is_impossible(self):
        questions = [_question("a", "cat"), _question("b", "dog")]
        answers = {"a": _answers("cat"), "b": _answers("dog", difference=2.0)}
        for threshold, exact in ((None, 100.0), (2.0, 100.0), (1.0, 50.0)):
            metrics = answer_metrics(questions, answers, threshold)
            self.assertEqual(metrics["exact_match"], exact)

    def test_impossible_questions_are_left_out_above_the_threshold(self):
        questions = [_question("a", "cat"), _question("b"), _question("c")]
        answers = {
            "a": _answers("cat", difference=-1.0),
            "b": _answers("dog", difference=0.5),
            "c": _answers("dog", difference=3.0),
        }
        for threshold, exact in ((None, 1), (1.0, 2), (0.0, 3), (-2.0, 2)):
            metrics = answer_metrics(questions, answers, threshold)
            self.assertAlmostEqual(metrics["exact"], 100 * exact / 3)
            self.assertEqual(metrics["best_exact"], 100.0)
            self.assertEqual(metrics["best_f1_thresh"], -1.0)


class IsOneAnswerTest(unittest.TestCase):
    def setUp(self):
        self.questions = [_question("a", "cat"), _question("b", "dog")]

    def test_no_answer_throughout_is_noticed(self):
        answers = {name: _answers(name, difference=1.0) for name in "ab"}
        self.assertTrue(is_one_answer(self.questions, answers, 0.5))

    def test_one_place_or_one_text_throughout_is_noticed(self):
        places = {"a": _answers("cat", 4), "b": _answers("dog", 4)}
        self.assertTrue(is_one_answer(self.questions, places, None))
        texts = {"a": _answers("the", 4), "b": _answers("the", 9)}
        self.assertTrue(is_one_answer(self.questions, texts, None))

    def test_one_in_forty_may_differ(self):
        questions = [_question(f"{n}", f"{n}") for n in range(40)]
        answers = {
            f"{n}": _answers(f"{n}", n, difference=float(n)) for n in range(40)
        }
        self.assertFalse(is_one_answer(questions, answers, 1.5))
        self.assertTrue(is_one_answer(questions, answers, 0.5))

    def test_answers_that_differ_or_should_not_are_well(self):
        same = [_question("a", "cat"), _question("b", "cat")]
        for questions, answers in (
            (self.questions, {"a": _answers("x"), "b": _answers("y", 1)}),
            (same, {"a": _answers("cat"), "b": _answers("cat")}),
            (self.questions[:1], {"a": _answers("x")}),
        ):
            self.assertFalse(is_one_answer(questions, answers, None))
