"""Adapter files of PEFT."""

import json

import keras
import numpy as np
import pytest

from keras_bert import checkpoints
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks.training.adapters import add_adapters

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
    with pytest.raises(ValueError, match="already merged.*base model first"):
        checkpoints.load_adapter(base.pretrained, tmp_path / "adapter")


def _learn(classifier, **recipe):
    classifier.fit(
        *(_TEXTS, [0, 1]), epochs=2, learning_rate=0.05, verbose=0, **recipe
    )


def _learn_recipe_of_docs(classifier):
    classifier.pretrained.encoder.trainable = False
    for block in classifier.pretrained.backbone.blocks:
        for layer in block.self_attention.query_key_value, block.feed_forward:
            layer.trainable = True
        for layer in (
            block.self_attention.query_key_value,
            block.feed_forward.intermediate,
            block.feed_forward.feed_forward_output,
        ):
            layer.enable_lora(rank=2)
    _learn(classifier)


def _learn_all_after_adapters(classifier):
    _learn(classifier, lora_rank=2)
    _learn(classifier)


@pytest.mark.parametrize(
    ("learn", "bias", "is_all"),
    [
        (lambda x: _learn(x, lora_rank=2), "none", False),
        (_learn_recipe_of_docs, "lora_only", False),
        (_learn_all_after_adapters, "lora_only", True),
    ],
)
def test_all_that_was_trained_is_saved(
    make_bert, tmp_path, learn, bias, is_all
):
    _classifier(make_bert()).save(tmp_path / "base")
    trained, base = (
        TextClassifier.from_pretrained(tmp_path / "base") for _ in range(2)
    )
    learn(trained)
    checkpoints.save_adapter(trained.pretrained, tmp_path / "adapter")
    checkpoints.load_adapter(base.pretrained, tmp_path / "adapter")
    np.testing.assert_allclose(
        base.probabilities(_TEXTS), trained.probabilities(_TEXTS), atol=1e-6
    )
    config = json.loads((tmp_path / "adapter/adapter_config.json").read_text())
    assert (config["bias"], config["task_type"]) == (bias, "SEQ_CLS")
    assert config["base_model_name_or_path"] == str(tmp_path / "base")
    modules = {*config["modules_to_save"]}
    embeddings = "bert.embeddings.word_embeddings"
    assert modules >= {"bert.pooler.dense", "classifier"}
    assert (embeddings in modules) == is_all


def test_an_embedder_is_a_base_model_without_a_prefix(make_bert, tmp_path):
    embedder = TextEmbedder(make_bert(), dense=[keras.layers.Dense(3)])
    pairs = [("the dog", "meat"), ("a cat", "fish")]
    embedder.fit(pairs, lora_rank=2, epochs=1, verbose=0)
    with pytest.raises(ValueError, match="cannot store.*layers: dense"):
        checkpoints.save_adapter(embedder.pretrained, tmp_path / "adapter")
    embedder.dense[0].trainable = False
    checkpoints.save_adapter(embedder.pretrained, tmp_path / "adapter")
    config = json.loads((tmp_path / "adapter/adapter_config.json").read_text())
    assert config["task_type"] == "FEATURE_EXTRACTION"
    assert config["modules_to_save"] == ["pooler.dense"]
    content = (tmp_path / "adapter/adapter_model.safetensors").read_bytes()
    assert _DOWN.replace(".bert.", ".").encode() in content


# The defaults of LoraConfig in PEFT 0.21.
_DEFAULTS = {
    **{"peft_type": "LORA", "peft_version": "0.21.2", "revision": None},
    **{"fan_in_fan_out": False, "rank_pattern": {}, "alpha_pattern": {}},
    **{"megatron_core": "megatron.core", "qalora_group_size": 16},
    **{"loftq_config": {}, "use_dora": False, "layer_replication": None},
    **{"init_lora_weights": "gaussian", "target_parameters": None},
}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"peft_type": "LOHA"}, "`peft_type` must be LORA. Received: 'LOHA'"),
        ({"init_lora_weights": "pissa"}, "must be None or True.* 'pissa'"),
        ({"alpha_pattern": {"key": 3}}, "`alpha_pattern` must be absent"),
        ({"bias": "all"}, "`bias` must be none or lora_only"),
        ({"a_new_setting": 0.5}, "`a_new_setting` must be absent.* 0.5"),
        ({"r": 0}, "division by zero"),
    ],
)
def test_settings_that_change_the_result_are_errors(
    make_bert, tmp_path, values, message
):
    classifier, base = _classifier(make_bert()), _classifier(make_bert())
    add_adapters(classifier.pretrained.backbone, 2)
    checkpoints.save_adapter(classifier.pretrained, tmp_path / "x")
    path = tmp_path / "x/adapter_config.json"
    config = json.loads(path.read_text())
    path.write_text(json.dumps({**config, **_DEFAULTS, **values}))
    with pytest.raises(checkpoints.CheckpointError, match=message):
        checkpoints.load_adapter(base.pretrained, tmp_path / "x")
    path.write_text(json.dumps({**config, **_DEFAULTS}))
    checkpoints.load_adapter(base.pretrained, tmp_path / "x")
