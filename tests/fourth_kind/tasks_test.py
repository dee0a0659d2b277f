"""Checkpoints, tasks and exports with a tokenizer of a fourth kind."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.layout import check_output
from keras_bert.export import export_saved_model
from keras_bert.export import served_ops
from keras_bert.tasks import load_any_task
from keras_bert.tasks import text_model
from keras_bert.tasks.tags.word_pieces import tokenize_words

_TEXTS = ["the red dog sees a cat", "a bird finds the old house"] * 4
_LABELS = ["pet", "wild"] * 4
_RECIPE = {"epochs": 1, "batch_size": 4, "verbose": 0}
_FORMATS = ["keras", "hf"]


@pytest.mark.parametrize("format", _FORMATS)
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


def test_what_is_wrong_with_its_files_is_named(model, tmp_path):
    save_pretrained(model, tmp_path / "a")
    (tmp_path / "a" / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="Received: lowercase=True"):
        from_pretrained(tmp_path / "a", lowercase=True)
    (tmp_path / "a" / "extra.json").unlink()
    with pytest.raises(CheckpointError, match="a lacks extra.json"):
        from_pretrained(tmp_path / "a")


def test_a_file_of_the_user_is_not_replaced(model, tmp_path):
    (tmp_path / "extra.json").write_text("mine")
    with pytest.raises(ValueError, match="extra.json"):
        check_output(tmp_path)
    with pytest.raises(ValueError, match="extra.json"):
        save_pretrained(model, tmp_path)
    assert (tmp_path / "extra.json").read_text() == "mine"


def test_padding_changes_no_answer(model):
    embedder = keras_bert.TextEmbedder(model)
    long = "the old red dog sees a new house , a cat and the bird"
    together = embedder.embed(["a cat", long])
    np.testing.assert_allclose(
        embedder.embed(["a cat"])[0], together[0], atol=1e-5
    )
    inputs = embedder.preprocess(["a cat"])
    assert inputs["input_ids"].numpy()[0, :5].tolist() == (
        [0, *model.tokenizer(["a cat"]).to_list()[0], 2, 1]
    )
    assert "segment_ids" not in inputs


def test_words_of_a_list_have_a_space_before_them_but_the_first(tokenizer):
    (pieces,) = tokenize_words(tokenizer, [["dogs", "sees", "cats"]])
    tokens = [tokenizer.vocabulary.tokens[i] for i in pieces.ids]
    assert tokens == ["dog", "s", "Ġsees", "Ġcat", "s"]
    assert pieces.words.tolist() == [0, 0, 1, 2, 2]


def _served(task, directory):
    export_saved_model(task, directory)
    return tf.saved_model.load(str(directory / "1"))


def test_a_classifier_is_trained_saved_and_served(model, tmp_path):
    task = keras_bert.TextClassifier(model, labels=["pet", "wild"])
    task.fit(_TEXTS, _LABELS, **_RECIPE)
    task.save(tmp_path / "saved")
    again = load_any_task(tmp_path / "saved", None)
    expected = task.probabilities(_TEXTS)
    np.testing.assert_allclose(again.probabilities(_TEXTS), expected, atol=1e-6)
    loaded = _served(task, tmp_path / "served")
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


def test_a_graph_with_an_op_that_no_server_has_is_refused(
    model, tmp_path, monkeypatch
):
    kinds = served_ops.TOKENIZER_OPS
    known = kinds["spaced"]._replace(core=())
    monkeypatch.setitem(kinds, "spaced", known)
    task = keras_bert.FillMask(model)
    with pytest.raises(ValueError, match="'StaticRegexReplace'"):
        export_saved_model(task, tmp_path / "served")
    assert not (tmp_path / "served" / "1").exists()
