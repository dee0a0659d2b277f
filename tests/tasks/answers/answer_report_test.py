import json

import pytest

from keras_bert.data.labelled.squad import SquadQuestion
from keras_bert.tasks.answers.answer_report import answer_report
from keras_bert.tasks.answers.answer_spans import Answer
from keras_bert.tasks.answers.answer_spans import Answers

_CONTEXT = "the red cat sees a dog"


def _question(name, *texts):
    answers = tuple((text, 0) for text in texts)
    return SquadQuestion(name, "q", _CONTEXT, answers, not texts, None)


def _answers(text, score, null=-9.0):
    start = _CONTEXT.index(text)
    best = Answer(text, start, start + len(text), score, 0.0)
    other = Answer("a", 17, 18, 0.0, 0.0)
    return Answers([best, other], Answer("", 0, 0, null, 0.0))


def test_the_worst_come_first_and_then_the_most_confident():
    questions = [
        _question("right", "red cat"),
        _question("half", "cat"),
        _question("sure", "dog"),
        _question("unsure", "dog"),
    ]
    answers = {
        "right": _answers("red cat", 1.0),
        "half": _answers("red cat", 5.0),
        "sure": _answers("sees", 3.0),
        "unsure": _answers("cat", 0.5),
    }
    report, mistakes = answer_report(questions, answers, None)
    assert [x["place"] for x in mistakes] == ["sure", "unsure", "half"]
    assert mistakes[2]["f1"] == pytest.approx(2 / 3)
    assert mistakes[0]["answers"] == ["dog"]
    assert mistakes[0]["prediction"] == "sees"
    assert report["scores"]["exact_match"] == 25.0
    assert report["null_threshold"] is None
    assert sum(x["count"] for x in report["calibration"]["bins"]) == 4
    assert json.loads(json.dumps([report, mistakes])) == [report, mistakes]


def test_no_answer_is_right_where_there_is_none():
    questions = [_question("none"), _question("some", "dog")]
    answers = {
        "none": _answers("cat", 0.5, null=3.0),
        "some": _answers("dog", 0.5, null=3.0),
    }
    report, mistakes = answer_report(questions, answers, 0.0)
    (mistake,) = mistakes
    assert (mistake["place"], mistake["prediction"]) == ("some", "")
    assert report["scores"]["NoAns_exact"] == 100.0
