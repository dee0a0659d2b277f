import json
import math

import pytest

from keras_bert.cli.fine_tuning.squad_run import answer_report
from keras_bert.cli.fine_tuning.squad_run import write_squad_files
from keras_bert.tasks.answers.answer_spans import Answer
from keras_bert.tasks.answers.answer_spans import Answers
from keras_bert.tasks.labelled.squad import SquadQuestion

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


# "No answer" scores 0.5 more than "Zoë" for the first question, 1 less than
# "sat" for the second.
_ANSWERS = {
    "q1": Answers(
        [Answer("Zoë", 0, 4, 1.0, 1.0), Answer("cat", 9, 12, 0.5, 0.0)],
        Answer("", 0, 0, 2.0, 0.5),
    ),
    "q2": Answers([Answer("sat", 5, 8, 3.0, -1.0)], Answer("", 0, 0, 0.0, 1.0)),
}


@pytest.fixture
def write(tmp_path):
    """Write all files; return a dict from file names to contents."""

    def write(*threshold):
        write_squad_files(tmp_path, _ANSWERS, *threshold)
        return {
            path.stem: json.loads(path.read_text())
            for path in tmp_path.iterdir()
        }

    return write


def test_version_1_has_an_answer_to_each_question(write):
    written = write()
    assert {*written} == {"nbest_predictions", "predictions"}
    assert written["predictions"] == {"q1": "Zoë", "q2": "sat"}
    n_best = written["nbest_predictions"]
    assert n_best["q2"] == [
        {
            "text": "sat",
            "probability": 1.0,
            "start_logit": 3.0,
            "end_logit": -1.0,
        }
    ]
    assert [x["text"] for x in n_best["q1"]] == ["Zoë", "cat"]


@pytest.mark.parametrize(
    ("threshold", "first", "second"),
    [(0.0, "", "sat"), (0.5, "Zoë", "sat"), (-2.0, "", "")],
)
def test_version_2_has_what_is_above_the_threshold_unanswered(
    write, threshold, first, second
):
    written = write(threshold)
    assert written["predictions"] == {"q1": first, "q2": second}
    assert written["null_odds"] == {"q1": 0.5, "q2": -1.0}
    best = written["nbest_predictions"]["q1"]
    assert [x["text"] for x in best] == ["", "Zoë", "cat"]
    assert sum(x["probability"] for x in best) == pytest.approx(1.0)
    ratio = best[0]["probability"] / best[1]["probability"]
    assert ratio == pytest.approx(math.exp(0.5))
