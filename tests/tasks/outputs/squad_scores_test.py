import json

import numpy as np
import pytest

from keras_bert.tasks.outputs.answer_spans import Answer
from keras_bert.tasks.outputs.answer_spans import Answers
from keras_bert.tasks.outputs.squad_scores import answer_metrics
from keras_bert.tasks.outputs.squad_scores import answer_scores
from keras_bert.tasks.outputs.squad_scores import best_null_threshold
from keras_bert.tasks.outputs.squad_scores import is_one_answer
from keras_bert.tasks.outputs.squad_scores import normalized_answer
from keras_bert.tasks.outputs.squad_scores import squad_scores
from keras_bert.tasks.readers.squad import SquadQuestion


@pytest.mark.parametrize(
    "text, expected",
    [
        ("The Normans!", "normans"),
        ("ÉLAN\n of\u00a0 U.S.", "élan of us"),
        # Punctuation is removed first, so no article is left between hyphens.
        ("a-b 1895-1943", "ab 18951943"),
        ("theory, another", "theory another"),
        ("The a, AN", ""),
        ("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", ""),
        ("“Cats” 5–6", "“cats” 5–6"),
    ],
)
def test_case_ascii_punctuation_and_articles_go(text, expected):
    assert normalized_answer(text) == expected


@pytest.mark.parametrize(
    "answer, golds, exact, f1",
    [
        # 2 of 3 words are shared in both directions.
        ("big big cat", ["big cat cat"], 0.0, 2 / 3),
        # Precision 2 / 5, recall 1.
        ("cat sat on mat there", ["mat cat"], 0.0, 4 / 7),
        # The best reference answer counts.
        ("sat cat", ["dog", "cat sat", "cat"], 0.0, 1.0),
        ("", [""], 1.0, 1.0),
        ("", ["cat"], 0.0, 0.0),
        ("cat", [""], 0.0, 0.0),
    ],
)
def test_an_answer_is_compared_word_by_word(answer, golds, exact, f1):
    assert answer_scores(answer, golds) == (exact, pytest.approx(f1))


def _question(name, *answers):
    pairs = tuple((answer, 0) for answer in answers)
    return SquadQuestion(name, "?", "context", pairs, not answers, None)


def _answers(text, start=0, difference=0.0):
    null = Answer("", 0, 0, difference, 0.0)
    return Answers([Answer(text, start, start + 3, 0.0, 0.0)], null)


def test_metrics_are_of_the_answers_that_a_threshold_leaves():
    questions = [_question("a", "red cat"), _question("b", "dog")]
    answers = {"a": _answers("red"), "b": _answers("dog", difference=2.0)}
    for threshold, exact in ((None, 50.0), (2.0, 50.0), (1.0, 0.0)):
        metrics = answer_metrics(questions, answers, threshold)
        assert [*metrics] == ["exact_match", "f1", "total"]
        assert metrics["exact_match"] == exact
    questions = [_question("a", "cat"), _question("b"), _question("c")]
    answers = {
        "a": _answers("cat", difference=-1.0),
        "b": _answers("dog", difference=0.5),
        "c": _answers("dog", difference=3.0),
    }
    for threshold, exact in ((None, 1), (1.0, 2), (0.0, 3), (-2.0, 2)):
        metrics = answer_metrics(questions, answers, threshold)
        assert metrics["exact"] == pytest.approx(100 * exact / 3)
        assert metrics["best_exact"] == 100.0
        assert metrics["best_f1_thresh"] == -1.0


_TWO = [_question("a", "cat"), _question("b", "dog")]
_ALIKE = [_question("a", "cat"), _question("b", "cat")]


@pytest.mark.parametrize(
    "questions, answers, threshold, expected",
    [
        (_TWO, {x: _answers(x, difference=1.0) for x in "ab"}, 0.5, True),
        (_TWO, {"a": _answers("cat", 4), "b": _answers("dog", 4)}, None, True),
        (_TWO, {"a": _answers("the", 4), "b": _answers("the", 9)}, None, True),
        (_TWO, {"a": _answers("x"), "b": _answers("y", 1)}, None, False),
        (_ALIKE, {"a": _answers("cat"), "b": _answers("cat")}, None, False),
    ],
)
def test_one_answer_throughout_is_noticed(
    questions, answers, threshold, expected
):
    assert is_one_answer(questions, answers, threshold) == expected


def _data_set(**answers):
    """Return a dataset of questions by id, each with reference answers."""
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


_FIRST = _data_set(a=["cat", "the big cat"], b=["mat"], c=["sat"])
# Two questions have answers, two do not.
_SECOND = _data_set(a=["cat", "the big cat"], b=["mat"], c=[], d=[])
_PREDICTIONS = {"a": "The CAT.", "b": "the mat on", "c": "big", "d": ""}
_PROBABILITIES = {"a": 0.1, "b": 0.6, "c": 0.9, "d": 0.2}
_MISSING = {name: _PREDICTIONS[name] for name in "abd"}


@pytest.mark.parametrize(
    "data_set, predictions, scores, kinds",
    [
        # F1: 1; 1 of 2 words right and all found; 0.
        (
            _FIRST,
            {"a": "big cat!", "b": "on the mat", "c": "cat"},
            (100 / 3, 100 * (1 + 2 / 3) / 3, 3),
            None,
        ),
        # Answers without words have no F1 in version 1.1.
        (
            _data_set(a=["the"], b=["mat"]),
            {"a": "The", "b": "mat"},
            (100, 50, 2),
            None,
        ),
        (
            _SECOND,
            {**_PREDICTIONS, "z": "cat"},
            (50, 100 * (1 + 2 / 3 + 1) / 4, 4),
            {"HasAns": (50, 100 * (1 + 2 / 3) / 2, 2), "NoAns": (50, 50, 2)},
        ),
        (_data_set(c=[]), {"c": ""}, (100, 100, 1), {"NoAns": (100, 100, 1)}),
        # Version 2.0 ignores reference answers without words.
        (
            _data_set(a=["the"], b=["the", "cat"], c=[]),
            {"a": "", "b": "", "c": "The"},
            (200 / 3, 200 / 3, 3),
            {"HasAns": (50, 50, 2), "NoAns": (100, 100, 1)},
        ),
        # Version 2.0 ignores missing predictions.
        (
            _SECOND,
            _MISSING,
            (200 / 3, 100 * (1 + 2 / 3 + 1) / 3, 3),
            {"HasAns": (50, 100 * (1 + 2 / 3) / 2, 2), "NoAns": (100, 100, 1)},
        ),
    ],
)
def test_scores_are_those_of_the_published_programs(
    data_set, predictions, scores, kinds
):
    names = ["exact_match" if kinds is None else "exact", "f1", "total"]
    expected = dict(zip(names, scores, strict=True))
    for kind, values in (kinds or {}).items():
        named = [f"{kind}_{name}" for name in names]
        expected |= dict(zip(named, values, strict=True))
    found = squad_scores(data_set, predictions)
    assert [*found] == [*expected]
    assert found == pytest.approx(expected)


def test_missing_predictions_are_counted(caplog):
    names = [f"q{number}" for number in range(8)]
    data_set = _data_set(**{name: ["cat"] for name in names})
    scores = squad_scores(data_set, {"q1": "cat", "q7": "mat"})
    assert scores == {"exact_match": 12.5, "f1": 12.5, "total": 8}
    assert "6 of 8 questions" in caplog.text
    assert "they score 0. The first: q0, q2, q3, q4, q5." in caplog.text
    squad_scores(_SECOND, _MISSING)
    assert "they are ignored. The first: c." in caplog.text


@pytest.mark.parametrize("answers", [["cat"], []])
@pytest.mark.parametrize("ids", [(262, 262), (262, "262"), ("262", 262)])
def test_ids_may_be_numbers_anywhere(ids, answers):
    data_set = _data_set(x=answers)
    data_set["data"][0]["paragraphs"][0]["qas"][0]["id"] = ids[0]
    numbers = None if answers else {ids[1]: 0.5}
    scores = squad_scores(data_set, {ids[1]: "".join(answers)}, numbers)
    assert scores["exact_match" if answers else "exact"] == 100.0


def test_probabilities_find_the_best_thresholds():
    scores = squad_scores(_SECOND, _PREDICTIONS, _PROBABILITIES)
    # "No answer" for all is right for c and d. Answering a gains 1, answering b
    # gains its F1, answering d gains nothing, answering c loses 1.
    assert scores == pytest.approx(
        {
            **squad_scores(_SECOND, _PREDICTIONS),
            "best_exact": 75.0,
            "best_exact_thresh": 0.1,
            "best_f1": 100 * (3 + 2 / 3) / 4,
            "best_f1_thresh": 0.6,
        }
    )
    assert json.loads(json.dumps(scores)) == scores
    above = squad_scores(_SECOND, _PREDICTIONS, _PROBABILITIES, 0.5)
    assert (above["exact"], above["f1"], above["HasAns_f1"]) == (75, 75, 50)
    assert above["NoAns_exact"] == 100.0
    assert above["best_f1"] == scores["best_f1"]
    at = squad_scores(_SECOND, _PREDICTIONS, _PROBABILITIES, 0.6)
    assert at["HasAns_f1"] == pytest.approx(100 * (1 + 2 / 3) / 2)


def _mean(differences, answer_scores, null_scores, threshold):
    is_null = np.array(differences) > threshold
    return np.mean(np.where(is_null, null_scores, answer_scores))


@pytest.mark.parametrize(
    "arrays, expected",
    [
        # Answering the first 0 to 4 questions gives 2, 3, 2, 3 and 2 of 4.
        (([2, -3, 0, -1], [0, 1, 1, 0], [1, 0, 0, 1]), (-3.0, 0.75)),
        # Equal scores are on one side of the threshold; a split would give 1.
        (([1, 1], [1, 0], [0, 1]), (0.0, 0.5)),
        # "No answer" for all is allowed.
        (([0.2, 0.9], [0, 0], [1, 0]), (0.0, 0.5)),
        (([0.0, -4.0], [0, 0], [1, 1]), (np.nextafter(-4.0, -5), 1.0)),
    ],
)
def test_the_lowest_of_the_best_thresholds_is_taken(arrays, expected):
    assert best_null_threshold(*arrays) == expected


def test_no_threshold_does_better():
    random = np.random.default_rng(0)
    differences = [-7.5, -1.0, 0.0, 0.5, 1.0, 3.0]
    for _ in range(200):
        size = random.integers(1, 13)
        columns = differences, [0.0, 0.25, 0.5, 1.0], [0.0, 1.0]
        arrays = [random.choice(values, size) for values in columns]
        threshold, score = best_null_threshold(*arrays)
        assert score == pytest.approx(_mean(*arrays, threshold))
        for other in (-9.0, *arrays[0], 9.0):
            assert _mean(*arrays, other) <= score + 1e-9
