"""BigBird with long rows: transformers, exports and its tokenizer."""

import json

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert import from_pretrained
from keras_bert.checkpoints import PretrainedModel
from keras_bert.text import SentencePieceTokenizer
from tests import tiny
from tests.families.golden import Golden
from tests.families.golden import assert_close
from tests.families.golden import long_row

# Rows of up to 44 tokens have full attention.
_LENGTHS = 43, 44, 45, 47, 48, 49, 130, 1021, 1024, 1025, 1032


@pytest.fixture(scope="module")
def golden(make_settings_of):
    return Golden("big_bird", make_settings_of)


@pytest.mark.parametrize("random_blocks", ["published", "transformers_eval"])
def test_states_of_long_rows_are_those_of_transformers(
    random_blocks, golden, tmp_path
):
    path = golden.write(tmp_path / "hf", random_blocks=random_blocks)
    model = from_pretrained(path)
    for length in _LENGTHS:
        inputs = long_row(length)
        inputs["segment_ids"] = np.zeros_like(inputs["input_ids"])
        states = model.encoder(inputs)["sequence_output"].numpy()[0]
        places = [0, 5, length // 2, length - 7, length - 1]
        expected = golden.outputs[f"{random_blocks}/{length}"]
        assert_close(states[places], expected, 1e-5)
    other = {"published", "transformers_eval"} - {random_blocks}
    other = golden.outputs[f"{other.pop()}/1032"]
    assert np.abs(expected - other).max() > 1e-3


def test_a_config_without_the_pattern_has_the_published_one(golden, tmp_path):
    path = golden.write(tmp_path / "hf")
    config = json.loads((path / "config.json").read_text())
    del config["random_blocks"]
    (path / "config.json").write_text(json.dumps(config))
    model = from_pretrained(path)
    assert model.config.random_blocks == "published"


@pytest.fixture(scope="module")
def classifier(make_settings_of):
    settings = make_settings_of("big_bird")
    sizes = {"H": 16, "V": len(settings.vocabulary), "P": 80}
    config = tiny.config("big_bird", **sizes, initializer_range=0.5)
    model = PretrainedModel.from_config(config, settings)
    return keras_bert.TextClassifier(model, labels=["one", "other"])


def text_of(num_words):
    return " ".join(f"word{n**2 % 7}" for n in range(num_words))


# With two special tokens; full attention ends at 14 tokens.
_TEXTS = [text_of(n) for n in (3, 12, 13, 30, 61)]


def test_long_texts_are_served_as_in_python(classifier, tmp_path):
    expected = [classifier._logits(classifier._encode([x])) for x in _TEXTS]
    assert np.ptp(np.concatenate(expected), axis=0).min() > 1e-3
    keras_bert.export.export_saved_model(classifier, tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    serve = loaded.signatures["serving_default"]
    for text, logits in zip(_TEXTS, expected, strict=True):
        answer = serve(text=tf.constant([text]))
        np.testing.assert_allclose(answer["logits"], logits, atol=1e-4)


def test_the_published_model_or_the_class_decides_about_rules(
    make_settings_of, tmp_path
):
    settings = make_settings_of("big_bird")
    assert settings.vocabulary.conventions.tokenizer_class == "BigBirdTokenizer"
    settings.write(tmp_path)
    tokenizer = SentencePieceTokenizer(tmp_path / "spiece.model")
    assert not tokenizer.lowercase
    albert = make_settings_of("albert")
    albert.write(tmp_path / "albert")
    path = tmp_path / "albert" / "tokenizer_config.json"
    assert type(settings).read(tmp_path / "albert").lowercase
    config = json.loads(path.read_text())
    (tmp_path / "albert" / "tokenizer.json").unlink()
    for name in ("BigBirdTokenizer", "BigBirdTokenizerFast"):
        changes = {"tokenizer_class": name, "do_lower_case": False}
        path.write_text(json.dumps({**config, **changes}))
        read = type(settings).read(tmp_path / "albert")
        assert read.vocabulary.conventions is settings.vocabulary.conventions
