import dataclasses

import numpy as np
import pytest

from keras_bert import models
from keras_bert.config import BertConfig
from keras_bert.models import bert_pretrainer
from keras_bert.models.roberta import FAMILY
from keras_bert.models.roberta import RobertaConfig

_TINY = RobertaConfig(
    vocab_size=30,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=16,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
    max_position_embeddings=18,
)
# As of roberta-base.
_PUBLISHED = {
    "architectures": ["RobertaForMaskedLM"],
    "attention_probs_dropout_prob": 0.1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-05,
    "max_position_embeddings": 514,
    "model_type": "roberta",
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "pad_token_id": 1,
    "type_vocab_size": 1,
    "vocab_size": 50265,
}


@pytest.fixture
def batch(random_batch):
    """Without segments, padded as RoBERTa's."""
    inputs = random_batch(0)[0]
    del inputs["segment_ids"]
    is_token = inputs["input_mask"] == 1
    ids = np.where(is_token, np.maximum(inputs["input_ids"], 2), 1)
    return {**inputs, "input_ids": ids.astype("int32")}


@pytest.mark.parametrize(
    "build, count",
    [(models.encoder, 124_645_632), (models.pretrainer, 124_697_433)],
)
def test_parameter_count_is_the_published_one(num_parameters, build, count):
    config = RobertaConfig.from_dict(_PUBLISHED)
    assert num_parameters(build, config) == count


def test_it_is_a_bert_of_other_positions_without_segments(batch, widened):
    model = widened(models.pretrainer(_TINY))
    same = (
        *("vocab_size", "hidden_size", "num_hidden_layers", "hidden_act"),
        *("num_attention_heads", "intermediate_size", "layer_norm_eps"),
        *("hidden_dropout_prob", "attention_probs_dropout_prob"),
    )
    config = BertConfig(
        **{key: getattr(_TINY, key) for key in same},
        max_position_embeddings=16,
        type_vocab_size=1,
    )
    bert = bert_pretrainer(config)
    for weight in bert.weights:
        if not weight.path.startswith(("pooler", "nsp_head")):
            source = {w.path: w.numpy() for w in model.weights}[weight.path]
            weight.assign(source[-weight.shape[0] :])
    segments = np.zeros_like(batch["input_ids"])
    expected = bert.predict_on_batch({**batch, "segment_ids": segments})
    outputs = model.predict_on_batch(batch)
    assert [*outputs] == ["mlm_logits"]
    np.testing.assert_allclose(
        outputs["mlm_logits"], expected["mlm_logits"], rtol=1e-5, atol=1e-5
    )


def test_padding_on_the_left_changes_no_output(batch, widened):
    encoder = widened(models.encoder(_TINY))
    del batch["masked_lm_positions"]
    expected = encoder.predict_on_batch(batch)["sequence_output"]
    fill = {"input_ids": 1, "input_mask": 0}
    shifted = {
        name: np.pad(x, ((0, 0), (3, 0)), constant_values=fill[name])
        for name, x in batch.items()
    }
    outputs = encoder.predict_on_batch(shifted)["sequence_output"][:, 3:]
    real = batch["input_mask"] == 1
    np.testing.assert_allclose(outputs[real], expected[real], atol=1e-5)


def test_the_head_has_the_erf_form_whatever_the_blocks_have():
    config = dataclasses.replace(_TINY, hidden_act="relu")
    model = models.pretrainer(config)
    head = model.get_layer("masked_lm_head")
    block = model.get_layer("block_1")
    assert head.activation.__name__ == "gelu_erf"
    assert block.feed_forward.activation.__name__ == "relu"


def test_the_classifier_drops_before_and_behind_its_dense_layer():
    config = dataclasses.replace(_TINY, hidden_dropout_prob=0.25)
    head = FAMILY.task_heads["classifier"].layer(config, 3, "classifier")
    assert head.transform.dropout == head.dropout == 0.25
    assert head(np.ones((2, 8), "float32")).shape == (2, 3)
    assert [weight.path for weight in head.weights] == [
        "classifier/dense/kernel",
        "classifier/dense/bias",
        "classifier/logits/kernel",
        "classifier/logits/bias",
    ]


def test_keras_file_keeps_outputs_and_tie(batch, widened, check_keras_file):
    model = widened(models.pretrainer(_TINY))
    check_keras_file(model, batch)


def test_published_config_is_read():
    config = RobertaConfig.from_dict(_PUBLISHED)
    assert config == RobertaConfig(vocab_size=50265)
    assert config.hidden_act == "gelu_erf"
    assert config.max_seq_length == 512


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)


@pytest.mark.parametrize("size, layers", [("base", 12), ("large", 24)])
def test_configs_are_the_published_ones(size, layers):
    config = RobertaConfig.from_json(f"configs/roberta_{size}.json")
    assert config.sizes["L"] == layers
    if size == "base":
        assert config == RobertaConfig.from_dict(_PUBLISHED)


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("model_type", "bert", "must be 'roberta' for RoBERTa.*'bert'"),
        ("is_decoder", True, "`is_decoder` must be False for RoBERTa.*True"),
        ("pad_token_id", -1, "`pad_token_id` must be at least 0.*=-1"),
        ("pad_token_id", None, "`pad_token_id` must be an integer.*None"),
        ("pad_token_id", 513, "greater than `pad_token_id` . 1.*=513"),
        ("max_position_embeddings", 2, "must be greater.*_embeddings=2, pad"),
        ("position_embedding_type", "relative_key", "must be 'absolute'"),
        ("embedding_size", 128, "Unknown config key.*embedding_size=128"),
    ],
)
def test_wrong_configs_are_errors(key, value, message, check_refused):
    check_refused(RobertaConfig, {**_PUBLISHED, key: value}, message)
