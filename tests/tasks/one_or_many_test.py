"""Each task answers one text as it answers a list of one."""

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.data.labelled.multiple_choice import MultipleChoiceExample
from keras_bert.tasks import Ensemble
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier

_TEXT = "the dog eats"
_TEXTS = (_TEXT, tf.constant(_TEXT), np.array(_TEXT), {"text": _TEXT})
_PAIRS = ({"text": "the dog", "text_pair": "eats"},)
_QUESTIONS = ({"question": "the dog?", "context": _TEXT},)
_CHOICES = (
    {"text": "the dog", "choices": ["eats", "sees"]},
    MultipleChoiceExample("the dog", ("eats", "sees"), None, "line 1"),
)
_METHODS = {
    "classify": (lambda x: TextClassifier(x, ["a", "b"]).predict, _TEXTS),
    "probabilities": (
        lambda x: TextClassifier(x, ["a", "b"]).probabilities,
        _TEXTS + _PAIRS,
    ),
    "ensemble": (
        lambda x: Ensemble([TextClassifier(x, ["a", "b"])] * 2).predict,
        _TEXTS + _PAIRS,
    ),
    "regress": (lambda x: TextRegressor(x).predict, _TEXTS + _PAIRS),
    "tag": (lambda x: TokenClassifier(x, ["O", "B-A", "I-A"]).predict, _TEXTS),
    "answer": (lambda x: QuestionAnswerer(x).predict, _QUESTIONS),
    "choose": (lambda x: MultipleChoice(x).predict, _CHOICES),
    "embed": (lambda x: TextEmbedder(x).embed, _TEXTS),
    "layers": (lambda x: TextEmbedder(x).layers, _TEXTS),
}


@pytest.mark.parametrize("name", _METHODS)
def test_one_text_has_one_answer(bert, name):
    make, texts = _METHODS[name]
    call = make(bert)
    for text in texts:
        one, (of_many,) = call(text), call([text])
        assert type(one) is type(of_many)
        if isinstance(one, np.ndarray):
            np.testing.assert_allclose(one, of_many, atol=1e-6)
        else:
            assert one == of_many


@pytest.mark.parametrize("name", _METHODS)
def test_other_mappings_are_refused(bert, name):
    call = _METHODS[name][0](bert)
    for texts in ({"sentence": _TEXT}, {"sentence": [_TEXT]}):
        with pytest.raises(ValueError, match="keys.*the keys 'sentence'"):
            call(texts)
