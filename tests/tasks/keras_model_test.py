"""Keras models of strings, read by a process that says `import keras_bert`."""

import json
import os
import pathlib
import subprocess
import sys

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import tasks
from keras_bert.tasks import text_model

_ROOT = pathlib.Path(__file__).parents[2]
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
    ),
}

_READER = """
import json, sys
import keras_bert
import keras
import tensorflow as tf

answers = {}
for path, texts in json.load(sys.stdin).items():
    model = keras.models.load_model(path)
    texts = {name: tf.constant(column) for name, column in texts.items()}
    outputs = model.predict(texts, verbose=0)
    answers[path] = {
        name: [x.hex() for x in array] if array.dtype == object
        and array.ndim == 1 else array.astype(str).tolist()
        if array.dtype == object else array.tolist()
        for name, array in outputs.items()
    }
json.dump(answers, sys.stdout)
"""


def _texts(task):
    """A column of texts for each input of a task."""
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


@pytest.fixture(scope="module")
def saved(bert, tmp_path_factory):
    """By its path, each task with what a fresh process gets from its file."""
    folder = tmp_path_factory.mktemp("keras")
    made, request = {}, {}
    for name, make in _TASKS.items():
        path = str(folder / f"{name}.keras")
        made[path] = make(bert)
        text_model(made[path]).save(path)
        request[path] = _texts(made[path])
    result = subprocess.run(
        [sys.executable, "-c", _READER],
        input=json.dumps(request),
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    answers = json.loads(result.stdout)
    return {path: (task, answers[path]) for path, task in made.items()}


@pytest.mark.exhaustive
def test_a_fresh_process_answers_as_python(saved):
    for task, answers in saved.values():
        texts = map(tf.constant, _texts(task).values())
        expected = task.predict_texts(*texts)
        assert {*answers} == {*task.outputs}
        for name, values in answers.items():
            array = expected[name].numpy()
            if array.dtype == object and array.ndim == 1:
                assert values == [text.hex() for text in array]
            elif array.dtype == object:
                assert values == array.astype(str).tolist()
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
