import json
import math
import os
import tempfile
import unittest

from keras_bert.tasks.answers.answer_spans import Answer
from keras_bert.tasks.answers.answer_spans import Answers
from keras_bert.tasks.answers.squad_files import write_squad_files

# No answer is 0.5 better than "Zoë" for the one, 1 worse than "sat" for the
# other.
_ANSWERS = {
    "q1": Answers(
        [Answer("Zoë", 0, 4, 1.0, 1.0), Answer("cat", 9, 12, 0.5, 0.0)],
        Answer("", 0, 0, 2.0, 0.5),
    ),
    "q2": Answers([Answer("sat", 5, 8, 3.0, -1.0)], Answer("", 0, 0, 0.0, 1.0)),
}


class WriteSquadFilesTest(unittest.TestCase):
    def write(self, *threshold):
        """All that is written, as a dict from names to values."""
        with tempfile.TemporaryDirectory() as directory:
            write_squad_files(directory, _ANSWERS, *threshold)
            written = {}
            for name in sorted(os.listdir(directory)):
                with open(os.path.join(directory, name)) as file:
                    written[name] = json.load(file)
            return written

    def test_version_1_has_an_answer_to_each_question(self):
        written = self.write()
        self.assertEqual(
            [*written], ["nbest_predictions.json", "predictions.json"]
        )
        self.assertEqual(
            written["predictions.json"], {"q1": "Zoë", "q2": "sat"}
        )
        n_best = written["nbest_predictions.json"]
        self.assertEqual(
            n_best["q2"],
            [
                {
                    "text": "sat",
                    "probability": 1.0,
                    "start_logit": 3.0,
                    "end_logit": -1.0,
                }
            ],
        )
        self.assertEqual([x["text"] for x in n_best["q1"]], ["Zoë", "cat"])

    def test_version_2_has_what_is_above_the_threshold_unanswered(self):
        for threshold, first, second in (
            (0.0, "", "sat"),
            (0.5, "Zoë", "sat"),
            (-2.0, "", ""),
        ):
            written = self.write(threshold)
            self.assertEqual(
                written["predictions.json"], {"q1": first, "q2": second}
            )
            self.assertEqual(written["null_odds.json"], {"q1": 0.5, "q2": -1.0})

    def test_no_answer_is_one_of_the_best_in_version_2(self):
        first = self.write(0.0)["nbest_predictions.json"]["q1"]
        self.assertEqual([x["text"] for x in first], ["", "Zoë", "cat"])
        self.assertAlmostEqual(sum(x["probability"] for x in first), 1.0)
        self.assertAlmostEqual(
            first[0]["probability"] / first[1]["probability"], math.exp(0.5)
        )
