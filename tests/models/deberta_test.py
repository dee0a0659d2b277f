import pathlib

import pytest

from keras_bert import models
from keras_bert.checkpoints.weight_map import published_places
from keras_bert.checkpoints.weight_table import HeadSize
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.models.deberta_config import DebertaConfig

_CONFIGS = pathlib.Path(__file__).parents[2] / "configs"
_TINY = DebertaConfig(
    vocab_size=30,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=16,
)
# As of microsoft/deberta-base on the Hub.
_PUBLISHED = {
    "attention_probs_dropout_prob": 0.1,
    "hidden_act": "gelu",
    "hidden_dropout_prob": 0.1,
    "hidden_size": 768,
    "initializer_range": 0.02,
    "intermediate_size": 3072,
    "layer_norm_eps": 1e-7,
    "max_position_embeddings": 512,
    "max_relative_positions": -1,
    "model_type": "deberta",
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "padding_idx": 0,
    "pos_att_type": "c2p|p2c",
    "position_biased_input": False,
    "relative_attention": True,
    "type_vocab_size": 0,
    "vocab_size": 50265,
}


@pytest.mark.parametrize(
    "build, count",
    [(models.encoder, 138_601_728), (models.pretrainer, 139_244_121)],
)
def test_parameter_counts_are_those_of_transformers(
    num_parameters, build, count
):
    config = DebertaConfig.from_json(_CONFIGS / "deberta_base.json")
    assert config == DebertaConfig.from_dict(_PUBLISHED) == DebertaConfig(50265)
    assert num_parameters(build, config) == count


def test_the_table_has_every_weight_of_the_model():
    shapes = {w.path: tuple(w.shape) for w in models.pretrainer(_TINY).weights}
    assert weight_shapes(_TINY) == shapes
    assert not [x for x in shapes if "key" in x and x.endswith("/bias")]


def test_keras_file_keeps_outputs_and_tie(
    random_batch, widened, check_keras_file
):
    model = widened(models.pretrainer(_TINY))
    inputs = random_batch(0)[0]
    check_keras_file(model, {name: inputs[name] for name in model.input})


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)


def test_a_head_that_transformers_has_no_class_for_has_no_place():
    with pytest.raises(ValueError, match="DeBERTa with a choice_scorer.*hugg"):
        published_places(_TINY, "hugging_face", HeadSize("choice_scorer", 1))


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("model_type", "bert", "must be 'deberta' for DeBERTa.*'bert'"),
        ("max_relative_positions", 64, "must be -1 for DeBERTa.*=64"),
        ("pos_att_type", "c2p", "`pos_att_type` must be .*'c2p'"),
        ("position_buckets", 256, "Unknown config key.*position_buckets=256"),
        ("pooler_hidden_size", 9, "`pooler_hidden_size` must be 768.*=9"),
    ],
)
def test_wrong_configs_are_errors(key, value, message, check_refused):
    check_refused(DebertaConfig, {**_PUBLISHED, key: value}, message)
