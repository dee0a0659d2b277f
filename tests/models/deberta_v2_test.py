import dataclasses
import pathlib

import numpy as np
import pytest

from keras_bert import models
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.models.deberta_v2 import deberta_v2_backbone
from keras_bert.models.deberta_v2_config import DebertaV2Config
from keras_bert.models.family import family_of
from keras_bert.models.heads import masked_lm_only

_CONFIGS = pathlib.Path(__file__).parents[2] / "configs"
_TINY = DebertaV2Config(
    vocab_size=30,
    hidden_size=8,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=16,
    position_buckets=6,
)
_CONVOLVED = dataclasses.replace(_TINY, conv_kernel_size=3)
_XLARGE = DebertaV2Config(
    vocab_size=128100,
    hidden_size=1536,
    num_hidden_layers=24,
    num_attention_heads=24,
    intermediate_size=6144,
    conv_kernel_size=3,
)
# As of microsoft/deberta-v3-base on the Hub.
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
    "model_type": "deberta-v2",
    "norm_rel_ebd": "layer_norm",
    "num_attention_heads": 12,
    "num_hidden_layers": 12,
    "pos_att_type": "p2c|c2p",
    "position_biased_input": False,
    "position_buckets": 256,
    "relative_attention": True,
    "share_att_key": True,
    "type_vocab_size": 0,
    "vocab_size": 128100,
}
_ROWS = {"conv_kernel_size": 3, "conv_act": "gelu", "attention_head_size": 64}


def _masked_lm(config):
    backbone = deberta_v2_backbone(config)
    heads = masked_lm_only(config, backbone.embeddings)
    return models.add_heads(backbone, heads, "masked_lm")


def read(size):
    return DebertaV2Config.from_json(_CONFIGS / f"deberta_v3_{size}.json")


@pytest.mark.smoke("xsmall")
@pytest.mark.parametrize(
    "size, build, count",
    [
        ("xsmall", models.encoder, 70_682_112),
        ("small", models.encoder, 141_304_320),
        ("base", models.encoder, 183_831_552),
        ("base", _masked_lm, 184_551_780),
        ("large", models.encoder, 434_012_160),
    ],
)
def test_parameter_counts_are_those_of_transformers(
    num_parameters, size, build, count
):
    assert num_parameters(build, read(size)) == count


def test_version_2_is_as_large_as_published():
    shapes = weight_shapes(_XLARGE).items()
    sizes = [np.prod(s, dtype=int) for path, s in shapes if "head" not in path]
    assert sum(sizes) == 884_593_152


@pytest.mark.parametrize("config", [_TINY, _CONVOLVED])
def test_the_table_has_every_weight_of_the_model(config):
    shapes = {w.path: tuple(w.shape) for w in models.pretrainer(config).weights}
    assert weight_shapes(config) == shapes
    is_convolved = any("convolution" in path for path in shapes)
    assert is_convolved == (config is _CONVOLVED)


def test_all_blocks_read_one_table(random_batch, widened):
    model = widened(models.encoder(_TINY))
    inputs = random_batch(0)[0]
    inputs = {name: inputs[name] for name in model.input}
    before = np.asarray(model(inputs)["sequence_output"])
    tables = [w for w in model.weights if "relative_embeddings" in w.path]
    assert len(tables) == 1 and tables[0].shape == (12, 8)
    tables[0].assign(tables[0][::-1])
    after = np.asarray(model(inputs)["sequence_output"])
    assert np.abs(after - before).max() > 1e-2


@pytest.mark.parametrize("config", [_TINY, _CONVOLVED])
def test_keras_file_keeps_outputs_and_tie(
    config, random_batch, widened, check_keras_file
):
    model = widened(models.pretrainer(config))
    inputs = random_batch(0)[0]
    check_keras_file(model, {name: inputs[name] for name in model.input})


def test_published_config_is_read():
    config = DebertaV2Config.from_dict(_PUBLISHED)
    assert config == DebertaV2Config(128100) == read("base")
    listed = {**_PUBLISHED, "pos_att_type": ["c2p", "p2c"]}
    listed |= {"conv_kernel_size": 0, "conv_act": "tanh"}
    assert DebertaV2Config.from_dict(listed) == config
    convolved = DebertaV2Config.from_dict({**_PUBLISHED, **_ROWS})
    assert convolved.conv_kernel_size == 3


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)
    check_config_file(_CONVOLVED)


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("model_type", "bert", "must be 'deberta-v2' for DeBERTa.*'bert'"),
        ("relative_attention", False, "must be True for DeBERTa.*=False"),
        ("position_biased_input", True, "must be False for DeBERTa.*=True"),
        ("share_att_key", False, "must be True for DeBERTa.*=False"),
        ("pos_att_type", "c2p", "`pos_att_type` must be .*'c2p'"),
        ("conv_groups", 2, "`conv_groups` must be 1 for DeBERTa.*=2"),
        ("type_vocab_size", 2, "must be 0 for DeBERTa.*=2"),
        ("attention_head_size", 32, "`attention_head_size` must be 64.*=32"),
        ("pooler_hidden_size", 9, "`pooler_hidden_size` must be 768.*=9"),
        ("conv_kernel_size", -1, "`conv_kernel_size` must be at least 0.*=-1"),
        ("position_buckets", 0, "`position_buckets` must be at least 1.*=0"),
        ("dim", 768, "Unknown config key.*dim=768.*position_buckets"),
    ],
)
def test_wrong_configs_are_errors(key, value, message, check_refused):
    check_refused(DebertaV2Config, {**_PUBLISHED, key: value}, message)


def test_a_convolution_refuses_rows_of_several_texts():
    config = DebertaV2Config(30, 8, 2, 2, 16, conv_kernel_size=3)
    backbone = family_of("deberta-v2").backbone(config)
    with pytest.raises(ValueError, match="hold one text each"):
        backbone.packed()
