import math
import unittest

from keras_bert.tasks.answers.answer_spans import Answer
from keras_bert.tasks.answers.answer_spans import Answers
from keras_bert.tasks.answers.plain_answer import plain_answer

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
