"""A model and a tokenizer that do not match are an error."""

import dataclasses
import json

import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.text.tokenizer_settings import identifying_settings
from tests import tiny

_CONFIG = tiny.config("roberta", V=275)


@pytest.mark.parametrize(
    "model_type, format",
    [
        *(("roberta", "hf"), ("albert", "keras"), ("albert", "tf1")),
        *(("xlm-roberta", "keras"), ("xlm-roberta", "hf")),
    ],
)
def test_the_files_decide_of_the_tokenizer(
    model_type, format, make_settings_of, tmp_path
):
    """Check BERT with other tokenizers, like multilingual-e5-small."""
    settings = make_settings_of(model_type)
    size = len(settings.vocabulary)
    config = tiny.config("bert", V=size)
    model = PretrainedModel.from_config(config, settings)
    save_pretrained(model, tmp_path, format=format)
    again = from_pretrained(tmp_path)
    assert again.config == config
    assert identifying_settings(
        again.tokenizer_settings
    ) == identifying_settings(settings)
    vocabulary = again.tokenizer.vocabulary
    assert vocabulary.sha256 == settings.vocabulary.sha256
    assert vocabulary.roles == settings.vocabulary.roles


def test_another_id_of_padding_is_an_error(make_settings, tmp_path):
    settings = make_settings("byte_bpe")
    wrong = dataclasses.replace(_CONFIG, pad_token_id=0)
    message = "`pad_token_id` in the config must be .*<pad>.*, 1. Received: 0."
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
