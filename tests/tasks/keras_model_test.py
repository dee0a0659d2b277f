"""Keras models of strings, saved and loaded."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import tasks
from keras_bert.tasks import text_model
from tests import tiny
from tests.tasks.cases import create

_TEXTS = ["the dog eats", "", "日本語 中文 cat", "a cät 😀 [MASK]", "a " * 5000]
_NAMES = "classifier tagger answerer chooser embedder".split()
_COLUMNS = {
    "text": _TEXTS,
    "choices": [[text, "a bird"] for text in _TEXTS],
    "question": ["who eats?"] * len(_TEXTS),
    "context": _TEXTS,
}


def _embedder():
    dense = [keras.layers.Dense(3, activation="tanh")]
    prompts = {"prompts": {"query": "the "}, "default_prompt_name": "query"}
    return tasks.TextEmbedder(tiny.make_bert(), 7, dense=dense, **prompts)


@pytest.mark.smoke("classifier", "tagger")
@pytest.mark.parametrize("name", _NAMES)
def test_a_keras_file_answers_as_its_task(tmp_path, name):
    task = _embedder() if name == "embedder" else create(name)
    text_model(task).save(tmp_path / "x.keras")
    model = keras.models.load_model(tmp_path / "x.keras")
    columns = {x: tf.constant(_COLUMNS[x]) for x in task.text_inputs}
    answers = model.predict(columns, verbose=0)
    expected = task.predict_texts(*columns.values())
    assert {*answers} == {*task.output_names}
    for key, values in answers.items():
        array = expected[key].numpy()
        if array.dtype == object:
            np.testing.assert_array_equal(values, array)
        else:
            np.testing.assert_allclose(values, array, atol=1e-4)


def test_a_model_shares_the_weights_of_its_task(bert):
    task = tasks.TextClassifier(bert, labels=["a", "b"])
    model = text_model(task)
    texts = {"text": tf.constant(["the dog eats"])}
    before = model(texts)["logits"]
    task.model.weights[-1].assign([100.0, 0.0])
    assert abs(model(texts)["logits"] - before)[0, 0] > 50


def test_pairs_are_taken(bert):
    task = tasks.TextClassifier(bert, labels=["a", "b"])
    task.settings["is_pair"] = True
    model = text_model(task)
    assert sorted(model.input) == ["text", "text_pair"]
    again = model.from_config(model.get_config())
    assert sorted(again.input) == ["text", "text_pair"]
