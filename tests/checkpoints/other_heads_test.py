"""Heads of transformers that this library does not have are named."""

import json

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import PretrainedModel
from tests import tiny


def test_the_beam_head_of_xlnet_is_named(make_settings_of, tmp_path, caplog):
    settings = make_settings_of("xlnet")
    config = tiny.config("xlnet", V=len(settings.vocabulary))
    model = PretrainedModel.from_config(config, settings)
    save_pretrained(model, tmp_path, format="hf")
    (tmp_path / "manifest.json").unlink(missing_ok=True)
    path = tmp_path / "config.json"
    values = json.loads(path.read_text())
    values["architectures"] = ["XLNetForQuestionAnswering"]
    path.write_text(json.dumps(values))
    assert from_pretrained(tmp_path).task is None
    assert "the head of XLNetForQuestionAnswering is not" in caplog.text
