"""A model and a tokenizer that do not fit are one clear error."""

import dataclasses
import json

import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.load_error_hints import vocabulary_hint
from keras_bert.models.roberta import RobertaConfig

_CONFIG = RobertaConfig(
    275,
    hidden_size=8,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=8,
    max_position_embeddings=16,
)


def test_a_tokenizer_of_the_family_is_taken(make_settings):
    PretrainedModel.from_config(_CONFIG, make_settings("byte_bpe"))


@pytest.mark.parametrize(
    ("kind", "pieces"),
    [("wordpiece", "word pieces"), ("sentencepiece", "SentencePiece pieces")],
)
def test_a_tokenizer_of_another_kind_is_an_error(make_settings, kind, pieces):
    config = dataclasses.replace(_CONFIG, vocab_size=40)
    with pytest.raises(
        ValueError,
        match=f"RoBERTa must read byte-level.*Received.* of {pieces}",
    ):
        PretrainedModel.from_config(config, make_settings(kind))


def test_another_id_of_padding_is_an_error(make_settings, tmp_path):
    settings = make_settings("byte_bpe")
    wrong = dataclasses.replace(_CONFIG, pad_token_id=0)
    message = "`pad_token_id` of the config must be .*<pad>.*, 1. Received: 0."
    with pytest.raises(ValueError, match=message):
        PretrainedModel.from_config(wrong, settings)
    model = PretrainedModel.from_config(_CONFIG, settings)
    save_pretrained(model, tmp_path, format="hf")
    (tmp_path / "manifest.json").unlink()
    path = tmp_path / "config.json"
    values = {**json.loads(path.read_text()), "pad_token_id": 0}
    path.write_text(json.dumps(values))
    with pytest.raises(CheckpointError, match=message):
        from_pretrained(tmp_path)


def test_another_size_is_an_error(make_settings):
    config = dataclasses.replace(_CONFIG, vocab_size=300)
    with pytest.raises(ValueError, match="vocab_size=300, 275 lines"):
        PretrainedModel.from_config(config, make_settings("byte_bpe"))


def test_published_sizes_of_any_family_are_named():
    assert "of the ALBERT models, the vocabulary that of the uncased" in (
        vocabulary_hint(30000, 30522)
    )
    assert vocabulary_hint(30000, 30) == vocabulary_hint(30, 30000) == ""
