"""Keras models of strings, saved and loaded."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import tasks
from keras_bert.tasks import text_model

_TEXTS = ["the dog eats", "", "日本語 中文 cat", "a cät 😀 [MASK]", "a " * 5000]
_TASKS = {
    "classifier": lambda b: tasks.TextClassifier(b, labels=["böse", "gut"]),
    "tagger": lambda b: tasks.TokenClassifier(b, labels=["O", "B-X", "I-X"]),
    "answerer": tasks.QuestionAnswerer,
    "chooser": tasks.MultipleChoice,
    "embedder": lambda b: tasks.TextEmbedder(
        b,
        seq_length=7,
        pooling="max",
        normalize=True,
        dense=[keras.layers.Dense(3, activation="tanh")],
        prompts={"query": "the dog "},
        default_prompt_name="query",
    ),
}


def _texts(task):
    """Return a column of texts for each input of a task."""
    columns = {
        "text": _TEXTS,
        "choices": [[text, "a bird"] for text in _TEXTS],
        "question": ["who eats?"] * len(_TEXTS),
        "context": _TEXTS,
    }
    return {name: columns[name] for name in task.text_inputs}


@pytest.fixture(scope="module")
def bert(make_bert):
    return make_bert()


@pytest.mark.smoke("classifier", "tagger")
@pytest.mark.parametrize("name", _TASKS)
def test_a_keras_file_answers_as_its_task(bert, tmp_path, name):
    task = _TASKS[name](bert)
    text_model(task).save(tmp_path / "x.keras")
    model = keras.models.load_model(tmp_path / "x.keras")
    columns = {key: tf.constant(x) for key, x in _texts(task).items()}
    answers = model.predict(columns, verbose=0)
    expected = task.predict_texts(*columns.values())
    assert {*answers} == {*task.outputs}
    for key, values in answers.items():
        array = expected[key].numpy()
        if array.dtype == object:
            np.testing.assert_array_equal(values, array)
        else:
            np.testing.assert_allclose(values, array, atol=1e-4)


def test_a_model_shares_the_weights_of_its_task(bert):
    task = tasks.TextClassifier(bert, labels=["a", "b"])
    model = text_model(task)
    assert {w.path for w in model.weights} == {
        w.path for w in task.model.weights
    }
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


def test_other_tasks_are_refused(bert):
    with pytest.raises(ValueError, match="fine-tuned.*Received: FillMask"):
        text_model(tasks.FillMask(bert))
    windows = tasks.TextClassifier(bert, labels=["a", "b"], windows="mean")
    with pytest.raises(ValueError, match="windows='mean'"):
        text_model(windows)
