"""Scores, calibration and sorted mistakes of each kind of task."""

import json
import math

import numpy as np
import pytest

from keras_bert.cli.fine_tuning import reports
from keras_bert.cli.fine_tuning.choice_run import choice_report
from keras_bert.cli.fine_tuning.squad_run import answer_report
from keras_bert.cli.fine_tuning.squad_run import write_squad_files
from keras_bert.cli.fine_tuning.tagging_run import tagging_report
from keras_bert.tasks.multiple_choice_example import MultipleChoiceExample
from keras_bert.tasks.outputs.answer_spans import Answer
from keras_bert.tasks.outputs.answer_spans import Answers
from keras_bert.tasks.outputs.tags import Tags
from keras_bert.tasks.readers.conll import TaggedSentences
from keras_bert.tasks.readers.glue_tasks import glue_task
from keras_bert.tasks.readers.squad import SquadQuestion


class _Task:
    """Task whose texts are its probabilities, or its predicted numbers."""

    labels = ["0", "1"]

    def probabilities(self, texts):
        rows = [[float(x) for x in text.split()] for text in texts]
        return np.array(rows, np.float32)

    def predict(self, texts):
        return [float(text) for text in texts]

    def evaluate(self, texts, labels):
        return {"mean_squared_error": 1.0}


def _check(result, num_answers):
    """Check the parts of every report; return the report and mistakes."""
    report, mistakes = result
    bins = report["calibration"]["bins"]
    assert sum(x["count"] for x in bins) == num_answers
    assert json.loads(json.dumps([report, mistakes])) == [report, mistakes]
    return report, mistakes


def test_mistakes_of_a_classifier_come_by_how_sure_they_are():
    shares = (0.9, 0.25, 0.75, 0.625, 0.125)
    texts = [f"{1 - x} {x}" for x in shares]
    labels = ["1", "1", "0", "0", "0"]
    report, mistakes = _check(
        reports.classifier_report(
            _Task(), range(5), texts, labels, glue_task("mrpc")
        ),
        5,
    )
    assert [(x["place"], x["text"], x["probability"]) for x in mistakes] == [
        (1, texts[1], 0.75),
        (2, texts[2], 0.75),
        (3, texts[3], 0.625),
    ]
    assert (mistakes[0]["label"], mistakes[0]["prediction"]) == ("1", "0")
    assert report["confusion_matrix"] == [[1, 2], [1, 1]]
    assert report["scores"]["accuracy"] == 2 / 5
    # An official score of the task.
    assert report["scores"]["f1"] == pytest.approx(2 / 5)
    assert [row["support"] for row in report["labels"]] == [3, 2]


def test_the_largest_errors_of_numbers_come_first():
    report, mistakes = reports.regressor_report(
        _Task(), "abc", ["1", "2", "5"], [1.5, 5.0, 4.0], glue_task("stsb")
    )
    assert [x["place"] for x in mistakes] == ["b", "c", "a"]
    first = {"place": "b", "label": 5.0, "prediction": 2.0, "text": "2"}
    assert mistakes[0] == first
    assert report["scores"]["mean_squared_error"] == 1.0
    # Ranks 1, 3, 2 and 1, 2, 3.
    assert report["scores"]["spearman"] == pytest.approx(0.5)


def test_texts_come_by_their_most_confident_wrong_decision():
    texts = ["0.75 0.125", "0.25 0.75", "0.625 0.5", "0.125 0.0625"]
    labels = [("0",), (), ("1", "0"), ("1",)]
    report, mistakes = _check(
        reports.several_labels_report(_Task(), range(4), texts, labels), 8
    )
    assert [
        (x["place"], x["label"], x["prediction"], x["probability"])
        for x in mistakes
    ] == [(3, ["1"], [], 0.9375), (1, [], ["1"], 0.75)]
    # 2 of 4 texts have all labels right.
    assert report["scores"]["accuracy"] == 0.5
    assert [x["support"] for x in report["labels"]] == [2, 2]


def test_bins_are_worked_out_by_hand():
    found = reports.calibration([0.52, 0.58, 0.91, 1.0, 0.95], [1, 0, 1, 1, 0])
    numbers = [[*x.values()] for x in found["bins"]]
    assert numbers[0] == pytest.approx([0.55, 0.5, 2])
    assert numbers[1] == pytest.approx([2.86 / 3, 2 / 3, 3])
    assert len(numbers) == 2
    error = (2 * 0.05 + 3 * (2.86 / 3 - 2 / 3)) / 5
    assert found["expected_error"] == pytest.approx(error)


def test_wrong_choices_come_by_how_sure_they_are():
    questions = [
        MultipleChoiceExample("a", ("b", "c"), label, f"x.csv, line {n}")
        for n, label in enumerate((0, 0, 1, 1))
    ]
    probabilities = np.array(
        [[0.75, 0.25], [0.375, 0.625], [0.875, 0.125], [0.25, 0.75]]
    )
    report, mistakes = _check(choice_report(questions, probabilities), 4)
    assert report["scores"] == {"accuracy": 0.5}
    assert [[*x.values()] for x in mistakes] == [
        ["x.csv, line 2", 1, 0, 0.875, "a", ["b", "c"]],
        ["x.csv, line 1", 0, 1, 0.625, "a", ["b", "c"]],
    ]


def _sure(places, sure, num_labels=3):
    """Return one row of scores per word, with this certainty at each label."""
    rest = (1 - np.array(sure)) / (num_labels - 1)
    rows = np.repeat(rest[:, np.newaxis], num_labels, axis=1)
    rows[np.arange(len(sure)), places] = sure
    return rows.astype(np.float32)


def _sentences(*tags):
    words = tuple(tuple(f"w{n}" for n in range(len(row))) for row in tags)
    lines = tuple(
        tuple(10 * index + n for n in range(len(row)))
        for index, row in enumerate(tags)
    )
    return TaggedSentences("x.conll", words, tags, lines)


def test_sentences_come_by_their_most_confident_wrong_tag():
    sentences = _sentences(("I-X", "I-X"), ("O", "I-X"), ("O", "O"))
    found = [
        _sure([1, 0], [0.75, 0.5]),
        _sure([0, 0], [0.75, 0.875]),
        _sure([0, 0], [0.75, 0.5]),
    ]
    tags = Tags(["O", "B-X", "I-X"])
    report, mistakes = _check(tagging_report(tags, sentences, found), 6)
    # Neither of two entities is found whole; one prediction is wrong.
    assert report["scores"] == {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert [(x["label"], x["support"]) for x in report["labels"]] == [("X", 2)]
    assert [x["probability"] for x in mistakes] == [0.875, 0.5]
    # The file uses IOB1, the model IOB2.
    wrong = {"word": "w1", "label": "B-X", "prediction": "O"}
    assert mistakes[0] == {
        "place": "x.conll, line 11",
        "probability": 0.875,
        "wrong": [{**wrong, "probability": 0.875}],
        "text": "w0 w1",
    }


def test_plain_tags_have_a_confusion_matrix():
    report, mistakes = tagging_report(
        Tags(["NOUN", "VERB", "X"]),
        _sentences(("NOUN", "VERB"), ("VERB",)),
        [_sure([0, 0], [0.5, 0.75]), _sure([1], [0.5])],
    )
    assert report["scores"]["accuracy"] == pytest.approx(2 / 3)
    assert report["confusion_matrix"] == [[1, 0, 0], [1, 1, 0], [0, 0, 0]]
    assert [x["place"] for x in mistakes] == ["x.conll, line 1"]


_CONTEXT = "the red cat sees a dog"


def _question(name, *texts):
    answers = tuple((text, 0) for text in texts)
    return SquadQuestion(name, "q", _CONTEXT, answers, not texts, None)


def _answers(text, score):
    start = _CONTEXT.index(text)
    best = Answer(text, start, start + len(text), score, 0.0)
    other = Answer("a", 17, 18, 0.0, 0.0)
    return Answers([best, other], Answer("", 0, 0, -9.0, 0.0))


def test_the_worst_answers_come_first_and_then_the_most_confident():
    given = {
        "right": ("red cat", "red cat", 1.0),
        "half": ("cat", "red cat", 5.0),
        "sure": ("dog", "sees", 3.0),
        "unsure": ("dog", "cat", 0.5),
    }
    questions = [_question(name, x[0]) for name, x in given.items()]
    answers = {name: _answers(*x[1:]) for name, x in given.items()}
    report, mistakes = _check(answer_report(questions, answers, None), 4)
    assert [x["place"] for x in mistakes] == ["sure", "unsure", "half"]
    assert mistakes[2]["f1"] == pytest.approx(2 / 3)
    assert mistakes[0]["answers"] == ["dog"]
    assert mistakes[0]["prediction"] == "sees"
    assert report["scores"]["exact_match"] == 25.0
    assert report["null_threshold"] is None


# "No answer" scores 0.5 more than "Zoë" for the first question, 1 less than
# "sat" for the second.
_ANSWERS = {
    "q1": Answers(
        [Answer("Zoë", 0, 4, 1.0, 1.0), Answer("cat", 9, 12, 0.5, 0.0)],
        Answer("", 0, 0, 2.0, 0.5),
    ),
    "q2": Answers([Answer("sat", 5, 8, 3.0, -1.0)], Answer("", 0, 0, 0.0, 1.0)),
}


@pytest.mark.parametrize(
    ("threshold", "first", "second"),
    [
        (None, "Zoë", "sat"),
        (0.0, "", "sat"),
        (0.5, "Zoë", "sat"),
    ],
)
def test_squad_files_have_what_is_above_the_threshold_unanswered(
    tmp_path, threshold, first, second
):
    write_squad_files(tmp_path, _ANSWERS, threshold)
    written = {
        path.stem: json.loads(path.read_text()) for path in tmp_path.iterdir()
    }
    assert written["predictions"] == {"q1": first, "q2": second}
    best = written["nbest_predictions"]
    if threshold is None:  # Version 1.1 has an answer to each question.
        assert {*written} == {"nbest_predictions", "predictions"}
        logits = {"start_logit": 3.0, "end_logit": -1.0}
        assert best["q2"] == [{"text": "sat", "probability": 1.0, **logits}]
        assert [x["text"] for x in best["q1"]] == ["Zoë", "cat"]
        return
    assert written["null_odds"] == {"q1": 0.5, "q2": -1.0}
    assert [x["text"] for x in best["q1"]] == ["", "Zoë", "cat"]
    shares = [x["probability"] for x in best["q1"]]
    assert sum(shares) == pytest.approx(1.0)
    assert shares[0] / shares[1] == pytest.approx(math.exp(0.5))
