import dataclasses
import errno
import json

import pytest

from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.formats import own
from tests import tiny
from tests.families.golden import assert_equal_weights

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


def assert_same(bert, other):
    assert bert.config == other.config
    assert bert.tokenizer.vocabulary.tokens == other.tokenizer.vocabulary.tokens
    assert bert.tokenizer.lowercase == other.tokenizer.lowercase
    assert bert.parts == other.parts
    assert_equal_weights(bert, other)


def contents(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture
def bert(make_bert):
    return make_bert()


@pytest.mark.parametrize("format", ["keras", "hf", "tf1"])
def test_a_pooler_that_no_head_looks_at_is_kept(format, bert, tmp_path):
    kept = bert.with_parts(["pooler", "masked_lm_head"])
    directory = tmp_path / "new" / "saved"
    save_pretrained(kept, directory, format=format)
    assert_same(from_pretrained(directory), kept)


def test_settings_of_the_tokenizer_are_kept(make_bert, tmp_path):
    settings = {"strip_accents": False, "max_chars_per_word": 7}
    save_pretrained(make_bert(**settings), tmp_path)
    read = from_pretrained(tmp_path).tokenizer_settings
    assert {name: getattr(read, name) for name in settings} == settings


def test_hugging_face_is_given_the_length_limit(bert, tmp_path):
    save_pretrained(bert, tmp_path, format="hf")
    saved = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert saved["model_max_length"] == bert.config.max_seq_length == 16


def test_saving_again_replaces_and_other_files_stay(bert, make_bert, tmp_path):
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    save_pretrained(make_bert(seed=1), tmp_path)
    with pytest.raises(ValueError, match="already exists. .*overwrite=True"):
        save_pretrained(bert, tmp_path)
    save_pretrained(bert, tmp_path, overwrite=True)
    assert sorted(contents(tmp_path)) == sorted([*_FILES, "metrics.jsonl"])
    assert (tmp_path / "metrics.jsonl").read_text() == "{}\n"
    assert_same(from_pretrained(tmp_path), bert)


def test_failed_saving_leaves_what_there_was(
    bert, make_bert, monkeypatch, tmp_path
):
    save_pretrained(bert, tmp_path)
    before = contents(tmp_path)

    def write_half(path, arrays):
        path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "the No space left on device")

    monkeypatch.setattr(own, "write_weights", write_half)
    other = make_bert(1, lowercase=False)
    with pytest.raises(OSError, match="No space left.*model.safetensors"):
        save_pretrained(other, tmp_path, overwrite=True)
    assert contents(tmp_path) == before


def test_without_settings_the_casing_is_asked_for(bert, tmp_path):
    save_pretrained(bert, tmp_path)
    (tmp_path / "tokenizer_config.json").unlink()
    with pytest.raises(CheckpointError, match="config.json was changed"):
        from_pretrained(tmp_path)
    (tmp_path / "manifest.json").unlink()
    with pytest.raises(CheckpointError, match="No file says.*lowercase=True"):
        from_pretrained(tmp_path)
    assert from_pretrained(tmp_path, lowercase=True).tokenizer.lowercase


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


@pytest.mark.parametrize("name", ["vocab.txt", "manifest.json"])
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


@pytest.mark.parametrize(
    "family, changes, format, name, message",
    [
        ("bert", {}, "keras", "b.keras", "text_model.*encoder.save.*b.keras"),
        ("bert", {}, "hf", "b.h5", "text_model.*encoder.save.*b.h5"),
        ("bert", {}, "onnx", "b", "keras, hf, tf1. .*format='onnx'"),
        ("bert", {"layer_norm_eps": 1e-5}, "tf1", "b", "layer_norm_eps=1e-05"),
        ("albert", {"E": 8}, "tf1", "b", "albert .*does not project.*=8.*=8"),
        ("roberta", {}, "tf1", "b", "tf1.*does not support RoBERTa"),
        ("electra", {}, "tf1", "b", "combination of heads. .*masked.*, repl"),
    ],
)
def test_what_has_no_place_is_not_written(
    family, changes, format, name, message, make_settings_of, tmp_path
):
    settings = make_settings_of(family)
    config = tiny.config(family, V=len(settings.vocabulary), **changes)
    model = PretrainedModel.from_config(config, settings)
    with pytest.raises(ValueError, match=message):
        save_pretrained(model, tmp_path / name, format=format)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
