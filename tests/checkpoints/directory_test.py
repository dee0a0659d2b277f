import dataclasses
import json

import keras
import numpy as np
import pytest

from keras_bert.checkpoints import Bert
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.text.tokenizer import BertTokenizer
from keras_bert.text.vocabulary import Vocabulary

_FILES = [
    "bert_config.json",
    "model.weights.h5",
    "tokenizer_config.json",
    "vocab.txt",
]
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def make_bert(config, seed=0, lowercase=True):
    """A BERT whose every weight is random, biases and gains too."""
    words = [f"word{index}" for index in range(config.vocab_size - 5)]
    tokenizer = BertTokenizer(
        Vocabulary([*_SPECIAL, *words]), lowercase=lowercase
    )
    bert = Bert.from_config(config, tokenizer)
    random = np.random.default_rng(seed)
    for weight in bert.pretrainer.weights:
        weight.assign(random.normal(0.0, 0.5, weight.shape))
    return bert


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
def bert(tiny_config):
    return make_bert(tiny_config)


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


def test_encoder_and_pretrainer_share_their_weights(
    bert, random_batch, tmp_path
):
    save_pretrained(bert, str(tmp_path))
    reloaded = from_pretrained(str(tmp_path))
    inputs = random_batch(0)[0]
    del inputs["masked_lm_positions"]
    expected = bert.encoder(inputs)
    for name, value in reloaded.encoder(inputs).items():
        np.testing.assert_array_equal(value, expected[name], name)
    encoder_variables = {id(weight) for weight in reloaded.encoder.weights}
    variables = {id(weight) for weight in reloaded.pretrainer.weights}
    assert encoder_variables < variables


@pytest.mark.parametrize("lowercase", [True, False])
def test_casing_is_kept(lowercase, tiny_config, tmp_path):
    save_pretrained(make_bert(tiny_config, lowercase=lowercase), tmp_path)
    assert from_pretrained(tmp_path).tokenizer.lowercase is lowercase
    saved = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert saved["do_lower_case"] is lowercase


def test_files_are_the_published_ones(bert, tiny_config, tmp_path):
    save_pretrained(bert, tmp_path)
    config = json.loads((tmp_path / "bert_config.json").read_text())
    assert config == dataclasses.asdict(tiny_config)
    tokens = "".join(f"{token}\n" for token in bert.tokenizer.vocabulary.tokens)
    assert (tmp_path / "vocab.txt").read_bytes() == tokens.encode()


def test_other_files_stay(bert, tmp_path):
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    save_pretrained(bert, tmp_path)
    save_pretrained(bert, tmp_path)
    assert sorted(contents(tmp_path)) == sorted([*_FILES, "metrics.jsonl"])
    assert (tmp_path / "metrics.jsonl").read_text() == "{}\n"


def test_saving_again_replaces(bert, tiny_config, random_batch, tmp_path):
    save_pretrained(make_bert(tiny_config, seed=1), tmp_path)
    save_pretrained(bert, tmp_path)
    assert_same(from_pretrained(tmp_path), bert, random_batch(0)[0])


def test_failed_saving_leaves_nothing(bert, monkeypatch, tmp_path):
    break_save_weights(monkeypatch)
    with pytest.raises(OSError, match="disk is full"):
        save_pretrained(bert, tmp_path / "checkpoint")
    assert contents(tmp_path / "checkpoint") == {}


def test_failed_saving_leaves_the_old_checkpoint(
    bert, tiny_config, monkeypatch, tmp_path
):
    save_pretrained(bert, tmp_path)
    before = contents(tmp_path)
    break_save_weights(monkeypatch)
    with pytest.raises(OSError, match="disk is full"):
        save_pretrained(make_bert(tiny_config, 1, lowercase=False), tmp_path)
    assert contents(tmp_path) == before


def break_save_weights(monkeypatch):
    def save_half(self, path, *arguments, **keywords):
        with open(path, "wb") as file:
            file.write(b"half")
        raise OSError("the disk is full")

    monkeypatch.setattr(keras.Model, "save_weights", save_half)


@pytest.mark.parametrize("name", _FILES)
def test_a_missing_file_is_named(name, bert, tmp_path):
    save_pretrained(bert, tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(ValueError, match=f"Missing: {name}\\.$"):
        from_pretrained(tmp_path)


def test_a_missing_directory_is_named(tmp_path):
    with pytest.raises(ValueError, match="'.*nowhere'.*Missing: bert_config"):
        from_pretrained(tmp_path / "nowhere")


def test_a_vocabulary_of_another_size_is_an_error(bert, tmp_path):
    save_pretrained(bert, tmp_path)
    with open(tmp_path / "vocab.txt", "a") as file:
        file.write("more\n")
    with pytest.raises(ValueError, match="vocab_size=30, 31 lines"):
        from_pretrained(tmp_path)


def test_a_tokenizer_of_another_size_is_an_error(bert, tiny_config):
    config = dataclasses.replace(tiny_config, vocab_size=31)
    with pytest.raises(ValueError, match="vocab_size=31, 30 lines"):
        Bert.from_config(config, bert.tokenizer)


@pytest.mark.filterwarnings("ignore:Skipping nested container:UserWarning")
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
    change, bert, tiny_config, tmp_path
):
    save_pretrained(bert, tmp_path)
    config = dataclasses.replace(tiny_config, **change)
    config.to_json(tmp_path / "bert_config.json")
    with pytest.raises(ValueError, match="variable|weights"):
        from_pretrained(tmp_path)


def test_half_a_weights_file_is_an_error(bert, tmp_path):
    save_pretrained(bert, tmp_path)
    path = tmp_path / "model.weights.h5"
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(ValueError, match="model.weights.h5: .*truncated"):
        from_pretrained(tmp_path)


@pytest.mark.parametrize("text", ["{}", "not json", '{"do_lower_case": "no"}'])
def test_a_broken_tokenizer_config_is_named(text, bert, tmp_path):
    save_pretrained(bert, tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(text)
    with pytest.raises(ValueError, match="tokenizer_config.json"):
        from_pretrained(tmp_path)
