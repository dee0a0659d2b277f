import json

import numpy as np
import pytest

from keras_bert.cli.fine_tuning.squad_run import write_squad_files
from keras_bert.tasks import Ensemble
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier
from keras_bert.tasks.answers.question_rows import row_answers
from tests import tiny

_LABELS = ["animal", "food"]
_TEXTS = ["the dog", "", "A Cat sees meat", "seeds and fish"]
_TARGETS = [0, 1, 0, 1]
_CONTEXT = "the dog eats meat and a bird eats seeds."
_QUESTION = tiny.squad((_CONTEXT, {"1": ("eats", "meat")}))


@pytest.fixture
def classifiers(berts):
    return [TextClassifier(bert, labels=_LABELS) for bert in berts]


def _softmax(logits):
    weights = np.exp(logits)
    return weights / weights.sum(axis=-1, keepdims=True)


def test_probabilities_are_the_softmax_of_the_mean_logits(classifiers):
    logits = [task._logits(task._encode(_TEXTS)) for task in classifiers]
    assert np.abs(logits[0] - logits[1]).min() > 1e-3
    expected = _softmax((logits[0] + logits[1]) / 2)
    ensemble = Ensemble(classifiers)
    found = ensemble.probabilities(_TEXTS)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    for answer, row in zip(ensemble.predict(_TEXTS), expected, strict=True):
        assert answer["label"] == _LABELS[row.argmax()]
        assert answer["probability"] == pytest.approx(row.max(), abs=1e-5)
    right = (expected.argmax(axis=1) == _TARGETS).mean()
    assert ensemble.evaluate(_TEXTS, _TARGETS)["accuracy"] == right


def test_numbers_are_the_mean(berts):
    regressors = [TextRegressor(bert) for bert in berts]
    numbers = [task.predict(_TEXTS) for task in regressors]
    ensemble = Ensemble(regressors)
    found = ensemble.predict(_TEXTS)
    np.testing.assert_allclose(found, np.mean(numbers, axis=0), atol=1e-6)
    error = np.mean((np.array(found) - [1, 2, 3, 4]) ** 2)
    scores = ensemble.evaluate(_TEXTS, [1, 2, 3, 4])
    assert scores["mean_squared_error"] == pytest.approx(error, abs=1e-6)
    with pytest.raises(ValueError, match="an ensemble of TextRegressors"):
        ensemble.probabilities(_TEXTS)


def test_what_one_tokenizer_drops_is_a_word_of_the_other(berts):
    """Use a lone accent, which the uncased tokenizer strips."""
    taggers = [TokenClassifier(bert, labels=["x", "y"]) for bert in berts]
    text = "the \u0301 dogs"
    counts = [len(task.predict([text])[0]) for task in taggers]
    assert counts == [2, 3]
    assert len(Ensemble(taggers).predict([text])[0]) == 2
    (found,) = Ensemble(taggers[::-1]).predict([text])
    assert [x["text"] for x in found] == ["the", "\u0301", "dogs"]
    # The label for words that a model does not see.
    assert found[1]["label"] == "x"


def test_the_files_of_squad_are_of_the_mean(make_bert, tmp_path):
    answerers = [QuestionAnswerer(make_bert()) for _ in range(2)]
    ensemble = Ensemble(answerers)
    ensemble.null_threshold = 0.25
    labelled = answerers[0]._labelled(_QUESTION)
    first, second = (task._logits(labelled)[0] for task in answerers)
    sizes = {"n_best_size": 3, "max_answer_length": 2}
    mean = [(a + b) / 2 for a, b in zip(first, second)]
    expected = row_answers(labelled, [mean], **sizes)
    answers = ensemble.answers(_QUESTION, **sizes)
    assert answers == expected
    assert answers != answerers[0].answers(_QUESTION, **sizes)
    write_squad_files(tmp_path, answers, ensemble.null_threshold)
    odds = json.loads((tmp_path / "null_odds.json").read_text())
    texts = json.loads((tmp_path / "predictions.json").read_text())
    assert odds == {"1": expected["1"].null_difference}
    assert texts == {"1": expected["1"].chosen(0.25).text}
    scores = ensemble.evaluate(_QUESTION)
    is_right = expected["1"].chosen(0.25).text == "meat"
    assert scores["exact_match"] == 100 * is_right


def test_a_single_directory_is_no_list_of_letters(tmp_path):
    for place in ("seed-1", tmp_path):
        with pytest.raises(ValueError, match="must be a list.*directories="):
            Ensemble.from_pretrained(place)


def test_models_that_do_not_go_together_are_named(berts, classifiers):
    other = TextClassifier(berts[1], labels=["food", "animal"])
    several = TextClassifier(berts[1], labels=_LABELS, multi_label=True)
    answerers = [QuestionAnswerer(bert) for bert in berts]
    shorter = QuestionAnswerer(berts[0], doc_stride=3)
    pairs = TextRegressor(berts[0])
    pairs.settings["is_pair"] = True
    singles = TextRegressor(berts[1])
    singles.settings["is_pair"] = False
    for tasks, message in (
        ([], r"Received: \[\]"),
        (classifiers[:1], "two or more.*Received: TextClassifier"),
        ([classifiers[0], pairs], "Received: TextClassifier, TextRegressor"),
        ([TextEmbedder(berts[0])] * 2, "Received: TextEmbedder"),
        (
            [classifiers[0], other],
            r"same `labels`.*\['food', 'animal'\] of model 2, and",
        ),
        ([classifiers[0], several], "multi_label=True of model 2"),
        ([pairs, TextRegressor(berts[0]), singles], "is_pair=False of model 3"),
        (answerers, "lowercase=False of model 2"),
        ([answerers[0], shorter], "doc_stride=3 of model 2"),
    ):
        with pytest.raises(ValueError, match=message):
            Ensemble(tasks)
