"""Checkpoints, tasks and exports with a tokenizer of a fourth kind."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.export import export_saved_model
from keras_bert.tasks import load_any_task
from keras_bert.tasks import text_model

_TEXTS = ["the red dog sees a cat", "a bird finds the old house"] * 4
_LABELS = ["pet", "wild"] * 4
_RECIPE = {"epochs": 1, "batch_size": 4, "verbose": 0}


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_checkpoint_is_read_back_equal(format, model, tmp_path):
    save_pretrained(model, tmp_path / "a", format=format)
    files = {path.name for path in (tmp_path / "a").iterdir()}
    assert {"model.safetensors", "spaced.json", "extra.json"} <= files
    assert not files & {"vocab.txt", "vocab.json", "tokenizer_config.json"}
    again = from_pretrained(tmp_path / "a")
    assert again.tokenizer(_TEXTS).to_list() == (
        model.tokenizer(_TEXTS).to_list()
    )
    assert again.tokenizer_settings.ends == ("s",)
    for weight, other in zip(again.model.weights, model.model.weights):
        np.testing.assert_array_equal(weight, other)
    card = (tmp_path / "a" / "README.md").read_text()
    assert "34 spaced pieces; `kind`: spaced, `is_strict`: True, " in card


def test_a_file_of_the_user_is_not_replaced(model, tmp_path):
    (tmp_path / "extra.json").write_text("mine")
    with pytest.raises(ValueError, match="extra.json"):
        save_pretrained(model, tmp_path)
    assert (tmp_path / "extra.json").read_text() == "mine"


def test_a_classifier_is_trained_saved_and_served(model, tmp_path):
    task = keras_bert.TextClassifier(model, labels=["pet", "wild"])
    task.fit(_TEXTS, _LABELS, **_RECIPE)
    task.save(tmp_path / "saved")
    again = load_any_task(tmp_path / "saved", None)
    expected = task.probabilities(_TEXTS)
    np.testing.assert_allclose(again.probabilities(_TEXTS), expected, atol=1e-6)
    export_saved_model(task, tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    answer = loaded.signatures["serving_default"](text=tf.constant(_TEXTS))
    np.testing.assert_allclose(answer["probabilities"], expected, atol=1e-5)
    path = tmp_path / "served" / "1" / "export_manifest.json"
    told = json.loads(path.read_text())
    assert told["tokenizer"]["kind"] == "spaced"
    assert "do_lower_case" not in told


def test_a_keras_file_holds_the_tokenizer(model, tmp_path):
    task = keras_bert.TextClassifier(model, labels=["pet", "wild"])
    text_model(task).save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    answers = loaded({"text": tf.constant(_TEXTS)})
    np.testing.assert_allclose(
        answers["probabilities"], task.probabilities(_TEXTS), atol=1e-5
    )
