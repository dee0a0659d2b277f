"""DistilBERT with a tokenizer of a fourth kind, defined only here."""

import pytest

from keras_bert.checkpoints import PretrainedModel
from keras_bert.export.saved_model.served_ops import TOKENIZER_OPS
from keras_bert.models.families.distilbert import model as distilbert
from keras_bert.text.tokenizer_kinds import KINDS
from tests.fourth_kind import spaced_tokenizer as spaced

_WORDS = "the a dog cat bird sees likes finds red old new house , .".split()


@pytest.fixture(autouse=True)
def fourth_kind(monkeypatch):
    """Register the rows of the fourth kind, all that the library needs."""
    monkeypatch.setitem(KINDS, spaced.SPACED, spaced.SpacedSettings)
    wordpiece = TOKENIZER_OPS["wordpiece"]
    ops = wordpiece._replace(core=("StaticRegexReplace",))
    monkeypatch.setitem(TOKENIZER_OPS, spaced.SPACED, ops)


@pytest.fixture
def settings():
    return spaced.SpacedSettings(spaced.SpacedVocabulary(_WORDS))


@pytest.fixture
def tokenizer(settings):
    return settings.make()


@pytest.fixture
def vocab_file(settings, tmp_path):
    directory = tmp_path / "tokenizer"
    directory.mkdir()
    settings.write(directory)
    return str(directory / "spaced.json")


@pytest.fixture
def config(settings):
    return distilbert.DistilBertConfig(
        vocab_size=len(settings.vocabulary),
        dim=16,
        n_layers=1,
        n_heads=2,
        hidden_dim=32,
        max_position_embeddings=24,
        dropout=0.0,
        attention_dropout=0.0,
        initializer_range=0.5,
    )


@pytest.fixture
def model(config, settings):
    return PretrainedModel.from_config(config, settings)


@pytest.fixture
def text_file(tmp_path):
    documents = [
        "\n".join(f"the {a} {b}s sees a {c} ." for b in _WORDS[2:6])
        for a, c in zip(_WORDS, reversed(_WORDS))
    ]
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(documents) + "\n")
    return str(path)
