"""Adapter files of PEFT."""

import json

import numpy as np
import pytest

from keras_bert import checkpoints
from keras_bert.tasks import TextClassifier
from keras_bert.tasks.fine_tuning.adapters import add_adapters

_TEXTS = ["the dog", "a cat sees fish"]
_DOWN = (
    "base_model.model.bert.encoder.layer.0.attention.self.value.lora_A.weight"
)


def _classifier(bert):
    return TextClassifier(bert, labels=["a", "b"])


def test_adapters_are_written_and_merged(make_bert, tmp_path):
    classifier, base = _classifier(make_bert()), _classifier(make_bert())
    base.model.set_weights(classifier.model.get_weights())
    backbone, rng = classifier.pretrained.backbone, np.random.default_rng(1)
    add_adapters(backbone, 2)
    for block in backbone.blocks:
        up = block.self_attention.query_key_value.lora_kernel_b
        up.assign(rng.normal(size=up.shape))
    checkpoints.save_adapter(classifier.pretrained, tmp_path / "adapter")
    config = json.loads((tmp_path / "adapter/adapter_config.json").read_text())
    assert config["target_modules"] == ["key", "query", "value"]
    assert config["modules_to_save"] == ["bert.pooler.dense", "classifier"]
    assert (
        _DOWN.encode()
        in (tmp_path / "adapter/adapter_model.safetensors").read_bytes()
    )
    checkpoints.load_adapter(base.pretrained, tmp_path / "adapter")
    expected = classifier.probabilities(_TEXTS)
    np.testing.assert_allclose(base.probabilities(_TEXTS), expected, atol=1e-5)
    with pytest.raises(ValueError, match="already has LoRA adapters"):
        checkpoints.load_adapter(classifier.pretrained, tmp_path / "adapter")
    with pytest.raises(ValueError, match="Received: 0 ranks"):
        checkpoints.save_adapter(base.pretrained, tmp_path / "none")
    other = make_bert(hidden_size=8).without_task()
    message = "must be an adapter of this BERT.*Received: bert.enc"
    with pytest.raises(checkpoints.CheckpointError, match=message):
        checkpoints.load_adapter(other, tmp_path / "adapter")
    config["use_dora"] = True
    path = tmp_path / "adapter/adapter_config.json"
    path.write_text(json.dumps(config))
    with pytest.raises(checkpoints.CheckpointError, match="`use_dora` must be"):
        checkpoints.load_adapter(base.pretrained, tmp_path / "adapter")
