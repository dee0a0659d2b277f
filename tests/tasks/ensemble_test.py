import numpy as np
import pytest

from keras_bert.tasks import Ensemble
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier
from keras_bert.tasks.outputs.spans import row_answers
from tests import tiny

_LABELS = ["animal", "food"]
_TEXTS = ["the dog", "", "A Cat sees meat", "seeds and fish"]
_TARGETS = [0, 1, 0, 1]
_CONTEXT = "the dog eats meat and a bird eats seeds."
_QUESTION = tiny.squad((_CONTEXT, {"1": ("eats", "meat")}))


@pytest.fixture
def classifiers(berts):
    return [TextClassifier(bert, labels=_LABELS) for bert in berts]


def test_probabilities_are_the_softmax_of_the_mean_logits(classifiers):
    logits = [task._logits(task._encode(_TEXTS)) for task in classifiers]
    assert np.abs(logits[0] - logits[1]).min() > 1e-3
    weights = np.exp((logits[0] + logits[1]) / 2)
    expected = weights / weights.sum(axis=1, keepdims=True)
    ensemble = Ensemble(classifiers)
    found = ensemble.probabilities(_TEXTS)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    right = (expected.argmax(axis=1) == _TARGETS).mean()
    assert ensemble.evaluate(_TEXTS, _TARGETS)["accuracy"] == right


def test_numbers_are_the_mean(berts):
    regressors = [TextRegressor(bert) for bert in berts]
    numbers = [task.predict(_TEXTS) for task in regressors]
    ensemble = Ensemble(regressors)
    found = ensemble.predict(_TEXTS)
    np.testing.assert_allclose(found, np.mean(numbers, axis=0), atol=1e-6)
    with pytest.raises(ValueError, match="an ensemble of TextRegressors"):
        ensemble.probabilities(_TEXTS)
    with pytest.raises(ValueError, match="must be a list.*directories="):
        Ensemble.from_pretrained("seed-1")


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


def test_answers_are_of_the_mean(make_bert):
    answerers = [QuestionAnswerer(make_bert()) for _ in range(2)]
    ensemble = Ensemble(answerers)
    ensemble.null_threshold = 0.25
    labelled = answerers[0]._labelled(_QUESTION)
    first, second = (task._logits(labelled)[0] for task in answerers)
    sizes = {"n_best_size": 3, "max_answer_length": 2}
    mean = [(a + b) / 2 for a, b in zip(first, second)]
    answers = ensemble.answers(_QUESTION, **sizes)
    assert answers == row_answers(labelled, [mean], **sizes)
    assert answers != answerers[0].answers(_QUESTION, **sizes)
    assert answerers[0].null_threshold == ensemble.null_threshold == 0.25


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
        (classifiers[:1], "two or more.*Received: TextClassifier"),
        ([classifiers[0], pairs], "Received: TextClassifier, TextRegressor"),
        ([TextEmbedder(berts[0])] * 2, "Received: TextEmbedder"),
        ([classifiers[0], other], r"`labels`.*\['food', 'animal'\] of model 2"),
        ([classifiers[0], several], "multi_label=True of model 2"),
        ([pairs, TextRegressor(berts[0]), singles], "is_pair=False of model 3"),
        (answerers, "lowercase=False of model 2"),
        ([answerers[0], shorter], "doc_stride=3 of model 2"),
    ):
        with pytest.raises(ValueError, match=message):
            Ensemble(tasks)
