import json
import os
import pathlib
import unittest

import hypothesis
import numpy as np
from hypothesis import strategies

from keras_bert.tasks.answers.squad_scores import best_null_threshold
from keras_bert.tasks.answers.squad_scores import squad_scores

_DIRECTORY = os.environ.get("SQUAD_DIR", "")


def _data_set(**answers):
    """Of questions by their ids, each with a list of right answers."""
    context = "the big cat sat on the mat"
    questions = [
        {
            "id": name,
            "question": "?",
            "answers": [
                {"text": text, "answer_start": context.index(text)}
                for text in texts
            ],
        }
        for name, texts in answers.items()
    ]
    paragraph = {"context": context, "qas": questions}
    return {"data": [{"title": "Cats", "paragraphs": [paragraph]}]}


# Two questions have answers, two have none.
_SECOND = _data_set(a=["cat", "the big cat"], b=["mat"], c=[], d=[])
_PREDICTIONS = {"a": "The CAT.", "b": "the mat on", "c": "big", "d": ""}
_PROBABILITIES = {"a": 0.1, "b": 0.6, "c": 0.9, "d": 0.2}


class SquadScoresTest(unittest.TestCase):
    def assert_scores(self, scores, **expected):
        self.assertEqual([*scores], [*expected])
        for name, value in expected.items():
            self.assertAlmostEqual(scores[name], value, places=10, msg=name)

    def test_version_1_has_its_own_name_for_exact(self):
        data_set = _data_set(a=["cat", "the big cat"], b=["mat"], c=["sat"])
        predictions = {"a": "big cat!", "b": "on the mat", "c": "cat"}
        with self.assertNoLogs("absl", "WARNING"):
            scores = squad_scores(data_set, predictions)
        # F1: 1; 1 of 2 words right and all found; 0.
        self.assert_scores(
            scores,
            exact_match=100 / 3,
            f1=100 * (1 + 2 / 3) / 3,
            total=3,
        )

    def test_version_1_scores_missing_predictions_0(self):
        names = [f"q{number}" for number in range(8)]
        data_set = _data_set(**{name: ["cat"] for name in names})
        with self.assertLogs("absl", "WARNING") as log:
            scores = squad_scores(data_set, {"q1": "cat", "q7": "mat"})
        self.assert_scores(scores, exact_match=12.5, f1=12.5, total=8)
        self.assertRegex(
            log.output[0],
            "6 of 8 questions.*: they score 0[.].*: q0, q2, q3, q4, q5[.]$",
        )
        with self.assertLogs("absl", "WARNING"):
            with self.assertRaisesRegex(ValueError, "not one of 8 ids"):
                squad_scores(data_set, {})

    def test_version_1_gives_words_that_vanish_no_f1(self):
        data_set = _data_set(a=["the"], b=["mat"])
        self.assert_scores(
            squad_scores(data_set, {"a": "The", "b": "mat"}),
            exact_match=100.0,
            f1=50.0,
            total=2,
        )

    def test_ids_may_be_numbers_anywhere(self):
        for data_id, key in ((262, 262), (262, "262"), ("262", 262)):
            for answers in (["cat"], []):
                data_set = _data_set(x=answers)
                (article,) = data_set["data"]
                article["paragraphs"][0]["qas"][0]["id"] = data_id
                prediction = {key: "".join(answers)}
                numbers = None if answers else {key: 0.5}
                scores = squad_scores(data_set, prediction, numbers)
                name = "exact_match" if answers else "exact"
                self.assertEqual(scores[name], 100.0)

    def test_version_2_has_scores_for_either_kind(self):
        self.assert_scores(
            squad_scores(_SECOND, _PREDICTIONS),
            exact=50.0,
            f1=100 * (1 + 2 / 3 + 1) / 4,
            total=4,
            HasAns_exact=50.0,
            HasAns_f1=100 * (1 + 2 / 3) / 2,
            HasAns_total=2,
            NoAns_exact=50.0,
            NoAns_f1=50.0,
            NoAns_total=2,
        )

    def test_a_kind_without_questions_has_no_scores(self):
        self.assert_scores(
            squad_scores(_data_set(c=[]), {"c": ""}),
            exact=100.0,
            f1=100.0,
            total=1,
            NoAns_exact=100.0,
            NoAns_f1=100.0,
            NoAns_total=1,
        )

    def test_version_2_leaves_missing_predictions_out(self):
        predictions = {name: _PREDICTIONS[name] for name in "abd"}
        with self.assertLogs("absl", "WARNING") as log:
            scores = squad_scores(_SECOND, predictions)
        self.assertRegex(log.output[0], "1 of 4 questions.*left out.*: c[.]$")
        self.assert_scores(
            scores,
            exact=200 / 3,
            f1=100 * (1 + 2 / 3 + 1) / 3,
            total=3,
            HasAns_exact=50.0,
            HasAns_f1=100 * (1 + 2 / 3) / 2,
            HasAns_total=2,
            NoAns_exact=100.0,
            NoAns_f1=100.0,
            NoAns_total=1,
        )

    def test_probabilities_find_the_best_thresholds(self):
        scores = squad_scores(_SECOND, _PREDICTIONS, _PROBABILITIES)
        plain = squad_scores(_SECOND, _PREDICTIONS)
        # Leaving all without an answer is right for c and d. Answering a
        # gains 1, answering d nothing and b its F1, answering c loses 1.
        self.assert_scores(
            scores,
            **plain,
            best_exact=75.0,
            best_exact_thresh=0.1,
            best_f1=100 * (3 + 2 / 3) / 4,
            best_f1_thresh=0.6,
        )

    def test_a_number_above_the_threshold_means_no_answer(self):
        scores = squad_scores(_SECOND, _PREDICTIONS, _PROBABILITIES, 0.5)
        best = squad_scores(_SECOND, _PREDICTIONS, _PROBABILITIES)
        self.assert_scores(
            {name: scores[name] for name in ("exact", "f1", "HasAns_f1")},
            exact=75.0,
            f1=75.0,
            HasAns_f1=50.0,
        )
        self.assertEqual(scores["NoAns_exact"], 100.0)
        self.assertEqual(scores["best_f1"], best["best_f1"])
        at = squad_scores(_SECOND, _PREDICTIONS, _PROBABILITIES, 0.6)
        self.assertAlmostEqual(at["HasAns_f1"], 100 * (1 + 2 / 3) / 2)

    def test_scores_are_json(self):
        scores = squad_scores(_SECOND, _PREDICTIONS, _PROBABILITIES)
        self.assertEqual(json.loads(json.dumps(scores)), scores)

    def test_other_ids_are_ignored(self):
        more = {**_PREDICTIONS, "z": "cat"}
        self.assertEqual(
            squad_scores(_SECOND, more), squad_scores(_SECOND, _PREDICTIONS)
        )

    def test_bad_input_is_refused(self):
        first = _data_set(a=["cat"])
        for arguments, message in (
            (({}, {}), "`data_set` must have `data`"),
            ((first, ["cat"]), r"from ids to texts\. Received: \['cat'\]"),
            ((first, {"a": None}), "Received: None for the question 'a'"),
            ((first, {"a": "cat"}, {"a": 1.0}), r"Received: \{'a': 1\.0\}"),
            (
                (_SECOND, _PREDICTIONS, [0.5]),
                r"from ids to numbers\. Received: \[0\.5\]",
            ),
            (
                (_SECOND, _PREDICTIONS, {**_PROBABILITIES, "b": "1"}),
                "Received: '1' for the question 'b'",
            ),
            (
                (_SECOND, _PREDICTIONS, {"a": 0.5}),
                "Received: None for the question 'b'",
            ),
            (
                (_SECOND, _PREDICTIONS, {**_PROBABILITIES, "a": float("nan")}),
                "Received: nan for the question 'a'",
            ),
        ):
            with self.assertRaisesRegex(ValueError, message):
                squad_scores(*arguments)

    def test_predictions_for_other_data_are_refused(self):
        with (
            self.assertLogs("absl", "WARNING"),
            self.assertRaisesRegex(ValueError, "'z': 'cat'.*not one of 4 ids"),
        ):
            squad_scores(_SECOND, {"z": "cat"})


# The predictions of the logistic regression lack 13 of 10,570 questions. They
# score 0, but the published scores leave them out.
_OFFICIAL = (
    ("v1.1-bert-ensemble", "BERT (ensemble)", 10570),
    ("v1.1-logistic-regression", "Logistic Regression", 10557),
    ("v1.1-rnet-plus-ensemble", "r-net+ (ensemble)", 10570),
    ("v2.0-bert-single", "BERT (single model)", 11873),
    ("v2.0-nlnet-single", "nlnet (single model)", 11873),
)


@unittest.skipUnless(_DIRECTORY, "SQUAD_DIR does not name a directory")
class OfficialPredictionsTest(unittest.TestCase):
    def test_published_predictions_have_their_scores(self):
        directory = pathlib.Path(_DIRECTORY)
        known = json.loads((directory / "expected_scores.json").read_text())
        for name, title, num_given in _OFFICIAL:
            version = name.split("-")[0]
            data_set, predictions = (
                json.loads((directory / file).read_text(encoding="utf-8"))
                for file in (
                    f"dev-{version}.rebuilt.json",
                    f"predictions-{name}.json",
                )
            )
            (expected,) = (v for k, v in known.items() if f"/{title}" in k)
            self.assertEqual(expected["total"], num_given)
            num_questions = num_given + expected.pop("missing")
            if num_questions != num_given:
                expected = {
                    key: value * num_given / num_questions
                    for key, value in expected.items()
                }
                expected["total"] = num_questions
            scores = squad_scores(data_set, predictions)
            for key, value in expected.items():
                self.assertAlmostEqual(
                    scores[key], value, delta=1e-4, msg=f"{name} {key}"
                )


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
