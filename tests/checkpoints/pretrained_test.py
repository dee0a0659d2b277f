import dataclasses
import errno
import json

import numpy as np
import pytest

from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.formats import own
from tests import tiny

_FILES = [
    "README.md",
    "manifest.json",
    "model.safetensors",
    "model_config.json",
    "tokenizer_config.json",
    "vocab.txt",
]


@pytest.fixture
def make_bert(make_settings):
    """Return a function that creates a BERT with random weights and biases."""

    def make_bert(seed=0, **settings):
        settings = dataclasses.replace(make_settings("wordpiece"), **settings)
        config = tiny.config("bert", V=40)
        bert = PretrainedModel.from_config(config, settings)
        return tiny.widened(bert, seed, 0.5)

    return make_bert


def assert_same(bert, other, inputs):
    assert bert.config == other.config
    assert bert.tokenizer.vocabulary.tokens == other.tokenizer.vocabulary.tokens
    assert bert.tokenizer.lowercase == other.tokenizer.lowercase
    expected = other.pretrainer(inputs)
    for name, value in bert.pretrainer(inputs).items():
        np.testing.assert_array_equal(value, expected[name], name)


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture
def bert(make_bert):
    return make_bert()


def test_round_trip_keeps_everything(bert, random_batch, tmp_path):
    directory = tmp_path / "new" / "checkpoint"
    save_pretrained(bert, directory)
    assert sorted(contents(directory)) == _FILES
    reloaded = from_pretrained(directory)
    assert_same(reloaded, bert, random_batch(0)[0])
    for weight, other in zip(
        reloaded.pretrainer.weights, bert.pretrainer.weights, strict=True
    ):
        assert weight.path == other.path
        np.testing.assert_array_equal(weight.numpy(), other.numpy())


@pytest.mark.parametrize("format", ["keras", "hf", "tf1"])
def test_a_pooler_that_no_head_looks_at_is_kept(format, bert, tmp_path):
    kept = bert.with_parts(["pooler", "masked_lm_head"])
    save_pretrained(kept, tmp_path / "saved", format=format)
    again = from_pretrained(tmp_path / "saved")
    assert again.parts == kept.parts
    for path, weight in kept.weights.items():
        np.testing.assert_array_equal(again.weights[path], weight, path)


@pytest.mark.parametrize(
    "settings",
    [{"lowercase": False}, {"strip_accents": False, "max_chars_per_word": 7}],
)
def test_settings_of_the_tokenizer_are_kept(settings, make_bert, tmp_path):
    save_pretrained(make_bert(**settings), tmp_path)
    read = from_pretrained(tmp_path).tokenizer_settings
    for name, value in settings.items():
        assert getattr(read, name) == value
    saved = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert saved["do_lower_case"] is settings.get("lowercase", True)


def test_hugging_face_is_given_the_length_limit(bert, tmp_path):
    save_pretrained(bert, tmp_path, format="hf")
    saved = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert saved["model_max_length"] == bert.config.max_seq_length == 16
    assert from_pretrained(tmp_path).config == bert.config


def test_files_are_the_published_ones(bert, tmp_path):
    save_pretrained(bert, tmp_path)
    config = json.loads((tmp_path / "model_config.json").read_text())
    assert config == bert.config.to_dict()
    tokens = "".join(f"{token}\n" for token in bert.tokenizer.vocabulary.tokens)
    assert (tmp_path / "vocab.txt").read_bytes() == tokens.encode()


def test_saving_again_replaces_and_other_files_stay(
    bert, make_bert, random_batch, tmp_path
):
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    save_pretrained(make_bert(seed=1), tmp_path)
    with pytest.raises(ValueError, match="already exists. .*overwrite=True"):
        save_pretrained(bert, tmp_path)
    save_pretrained(bert, tmp_path, overwrite=True)
    assert sorted(contents(tmp_path)) == sorted([*_FILES, "metrics.jsonl"])
    assert (tmp_path / "metrics.jsonl").read_text() == "{}\n"
    assert_same(from_pretrained(tmp_path), bert, random_batch(0)[0])


@pytest.mark.parametrize("has_old", [False, True])
def test_failed_saving_leaves_what_there_was(
    has_old, bert, make_bert, monkeypatch, tmp_path
):
    if has_old:
        save_pretrained(bert, tmp_path)
    before = contents(tmp_path)
    break_writing(monkeypatch)
    other = make_bert(1, lowercase=False)
    with pytest.raises(OSError, match="No space left.*model.safetensors"):
        save_pretrained(other, tmp_path, overwrite=True)
    assert contents(tmp_path) == before


def break_writing(monkeypatch):
    def write_half(path, arrays):
        with open(path, "wb") as file:
            file.write(b"half")
        raise OSError(errno.ENOSPC, "the No space left on device")

    monkeypatch.setattr(own, "write_weights", write_half)


def test_without_settings_the_casing_is_asked_for(bert, tmp_path):
    save_pretrained(bert, tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    with pytest.raises(CheckpointError, match="config.json was changed"):
        from_pretrained(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="No file says.*lowercase=True"):
        from_pretrained(tmp_path)
    assert from_pretrained(tmp_path, lowercase=True).tokenizer.lowercase


def test_another_casing_than_the_files_say_is_an_error(bert, tmp_path):
    save_pretrained(bert, tmp_path)
    assert from_pretrained(tmp_path, lowercase=True).tokenizer.lowercase
    with pytest.raises(
        CheckpointError,
        match="tokenizer_config.json says true, lowercase= says false",
    ):
        from_pretrained(tmp_path, lowercase=False)


@pytest.mark.parametrize("format", ["keras", "hf", "tf1"])
def test_a_file_of_another_size_is_an_error(format, bert, tmp_path):
    save_pretrained(bert, tmp_path, format=format)
    names = {*contents(tmp_path)} - {"README.md", "manifest.json"}
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert {*manifest["files"]} == {*names, "README.md"}
    for name in names:
        path = tmp_path / name
        data = path.read_bytes()
        path.write_bytes(data[:-1])
        with pytest.raises(
            CheckpointError, match=f"{name} was changed.*again. If"
        ):
            from_pretrained(tmp_path)
        path.write_bytes(data)
    (tmp_path / "README.md").write_text("mine")
    from_pretrained(tmp_path)


@pytest.mark.parametrize("name", ["vocab.txt", "manifest.json", "config.json"])
def test_a_file_of_the_user_is_not_replaced(name, bert, tmp_path):
    (tmp_path / name).write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(ValueError, match=f"{name} exists, and no manifest"):
            save_pretrained(bert, tmp_path, format="hf", overwrite=overwrite)
    assert contents(tmp_path) == {name: b"mine"}


def test_a_model_card_of_the_user_stays(bert, tmp_path):
    save_pretrained(bert, tmp_path, card={"Metrics": "mlm_loss 2.5"})
    text = (tmp_path / "README.md").read_text()
    assert "- `hidden_size`: 8" in text
    assert "40 word pieces; texts are lower-cased" in text
    assert text.endswith("## Metrics\n\nmlm_loss 2.5\n")
    card = {"Metrics": "mlm_loss 2.4"}
    save_pretrained(bert, tmp_path, card=card, overwrite=True)
    assert (tmp_path / "README.md").read_text().endswith("mlm_loss 2.4\n")
    (tmp_path / "README.md").write_text("mine")
    for _ in range(2):
        save_pretrained(bert, tmp_path, overwrite=True)
        assert (tmp_path / "README.md").read_text() == "mine"


def test_a_checkpoint_of_another_format_is_not_mixed_in(bert, tmp_path):
    save_pretrained(bert, tmp_path)
    before = contents(tmp_path)
    with pytest.raises(ValueError, match="a different format"):
        save_pretrained(bert, tmp_path, format="hf")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("format", ["hf", "tf1"])
def test_a_round_trip_through_another_format_is_bit_equal(
    format, bert, random_batch, tmp_path
):
    save_pretrained(bert, tmp_path / format, format=format)
    save_pretrained(from_pretrained(tmp_path / format), tmp_path / "own")
    assert_same(from_pretrained(tmp_path / "own"), bert, random_batch(0)[0])


@pytest.mark.parametrize(
    "change",
    [
        {"intermediate_size": 32},
        {"num_hidden_layers": 1},
        {"num_hidden_layers": 3},
        {"max_position_embeddings": 8},
    ],
    ids=str,
)
def test_a_config_that_does_not_fit_the_weights_is_an_error(
    change, bert, tmp_path
):
    save_pretrained(bert, tmp_path)
    (tmp_path / "manifest.json").unlink()
    config = dataclasses.replace(bert.config, **change)
    config.to_json(tmp_path / "model_config.json")
    with pytest.raises(CheckpointError, match="does not match its config"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    "text, words",
    [
        *[(text, "tokenizer_config.json") for text in ("[]", "not json")],
        ('{"do_lower_case": "no"}', "`lowercase` must be True or False"),
    ],
)
def test_a_broken_tokenizer_config_is_named(text, words, bert, tmp_path):
    save_pretrained(bert, tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(text)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(ValueError, match=words):
        from_pretrained(tmp_path)


@pytest.mark.parametrize(
    "name, format, message",
    [
        ("bert.keras", "keras", "text_model.*encoder.save.*bert.keras"),
        ("bert.weights.h5", "hf", "text_model.*encoder.save.*weights.h5"),
        ("bert", "onnx", "keras, hf, tf1. .*format='onnx'"),
    ],
)
def test_other_names_and_formats_are_refused(
    bert, tmp_path, name, format, message
):
    with pytest.raises(ValueError, match=message):
        save_pretrained(bert, tmp_path / name, format=format)
    assert not (tmp_path / name).exists()
