"""Configs of all families: published, our own, and invalid files."""

import dataclasses
import json
import pathlib

import pytest

from keras_bert.checkpoints.family import config_from
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.family import read_config

_TESTS = pathlib.Path(__file__).parents[1]
_CONFIGS = _TESTS.parent / "configs"
# Additional keys of the files of a family on the Hub.
_MORE_KEYS = json.loads((_TESTS / "golden/hf_configs.json").read_text())
_MORE_KEYS = _MORE_KEYS["families"]
_FULL, _SLIDING = "full_attention", "sliding_attention"
_KINDS = [_SLIDING if index % 3 else _FULL for index in range(22)]
_ROTARY = {
    _FULL: {"rope_theta": 160000.0, "rope_type": "default"},
    _SLIDING: {"rope_theta": 10000.0, "rope_type": "default"},
}


@pytest.mark.parametrize(
    "size, vocab_size",
    [
        ("albert_base", 30000),
        ("bigbird_base", 50358),
        ("bert_base", 30522),
        ("deberta_base", 50265),
        ("deberta_v3_base", 128100),
        ("electra_small", 30522),
        ("gpt1", 40478),
        ("longformer_base", 50265),
        ("mpnet_base", 30527),
        ("roberta_base", 50265),
        ("xlm_roberta_base", 250002),
    ],
)
def test_config_files_of_base_size_are_the_defaults(size, vocab_size):
    config = read_config(_CONFIGS / f"{size}.json")
    assert config == type(config)(vocab_size)


@pytest.mark.parametrize(
    "path", sorted(_CONFIGS.glob("*.json")), ids=lambda path: path.stem
)
def test_every_config_file_is_read(path, tmp_path):
    config = read_config(path)
    config.to_json(tmp_path / "again.json")
    assert read_config(tmp_path / "again.json") == config


@pytest.mark.parametrize("size", ["base", "large", "xlarge", "xxlarge"])
def test_version_1_of_albert_differs_in_its_dropout_only(size):
    ours, newer = (
        read_config(_CONFIGS / f"albert_{size}{version}.json")
        for version in ("_v1", "")
    )
    rate = 0.0 if size == "xxlarge" else 0.1
    names = ("hidden_dropout_prob", "attention_probs_dropout_prob")
    assert ours == dataclasses.replace(newer, **dict.fromkeys(names, rate))


@pytest.mark.parametrize(
    "model_type, expected",
    [
        ("albert", "gelu_tanh"),
        ("electra", "gelu_erf"),
        ("roberta", "gelu_erf"),
    ],
)
def test_gelu_is_what_the_publisher_means_by_it(model_type, expected):
    values = {"vocab_size": 9, "hidden_act": "gelu"}
    config = find_family(model_type).config.from_dict(values)
    assert config.hidden_act == expected


_YARN = {**_ROTARY, _FULL: {"rope_type": "yarn", "rope_theta": 1.0}}
_FACTOR = {**_ROTARY, _FULL: {"rope_theta": 1.0, "factor": 2.0}}


# `tests/config_test.py` checks types and limits that all families share.
@pytest.mark.parametrize(
    "model_type, key, value, message",
    [
        ("albert", "num_hidden_groups", 13, "from 1 to 12.*groups=13"),
        (
            "big_bird",
            "attention_type",
            "sparse",
            "block_sparse, orig.*'sparse'",
        ),
        ("big_bird", "random_blocks", "some", "published, transfor.*'some'"),
        ("deberta", "max_position_embeddings", 2, "integer, at least 3.*=2"),
        ("deberta", "max_relative_positions", 64, "must be -1 for DeBERTa.*64"),
        ("deberta", "pooler_hidden_size", 9, "hidden_size` must be 768.*=9"),
        ("deberta", "pos_att_type", "c2p", "`pos_att_type` must be .*'c2p'"),
        ("deberta-v2", "conv_groups", 2, "`conv_groups` must be 1 for DeB.*=2"),
        ("deberta-v2", "conv_kernel_size", 2, "must be odd.*=2"),
        ("deberta-v2", "position_buckets", 1022, "from 2 to 1021.*=1022"),
        ("deberta-v2", "position_buckets", 1, "from 2 to 1021.*=1"),
        ("distilbert", "activation", "swish", "must be one of.*'swish'"),
        ("distilbert", "dropout", 1.0, "at least 0 and below 1.*=1.0"),
        ("distilbert", "hidden_size", 768, "Unknown config key.*768.*n_layers"),
        ("distilbert", "n_heads", 7, "`dim` must be divisible by `n_heads`"),
        ("electra", "summary_activation", "tanh", "must be 'gelu'.*'tanh'"),
        ("electra", "summary_type", "mean", "must be 'first'.*'mean'"),
        ("electra", "summary_use_proj", False, "must be True for ELECTRA"),
        ("ernie", "task_id", 1, "`task_id` must be 0.*task_id=1"),
        ("ernie", "use_task_id", 1, "`use_task_id` must be .*=1"),
        ("longformer", "attention_dilation", [2, 1], r"must be \[1, .*\[2, 1"),
        ("longformer", "attention_mode", "n2", "must be 'longformer'.*'n2'"),
        ("longformer", "attention_window", 511, "must be an even integer.*511"),
        ("longformer", "attention_window", [7] * 12, "an even integer.*=7"),
        ("longformer", "attention_window", [8] * 11, "each of the 12 blocks"),
        ("modernbert", "classifier_pooling", "max", "one of cls, mean.*'max'"),
        ("modernbert", "global_rope_theta", 0.0, "`global_rope_theta` must"),
        ("modernbert", "layer_types", [_SLIDING] * 22, "type of each block"),
        ("modernbert", "layer_types", _SLIDING, "must be a list.*'sliding_att"),
        ("modernbert", "local_attention", 1, "integer, at least 2.*=1"),
        ("modernbert", "local_rope_theta", 0, "`local_rope_theta` must"),
        ("modernbert", "num_attention_heads", 256, "must be even.*heads=256"),
        ("modernbert", "rope_parameters", _YARN, "must give.*yarn"),
        ("modernbert", "rope_parameters", _FACTOR, "must give.*factor"),
        ("modernbert", "rope_parameters", {"local": {}}, "must give.*local"),
        ("modernbert", "rope_parameters", 10000.0, "must give.*=10000.0"),
        ("modernbert", "rope_scaling", {"factor": 4.0}, "must be None.*4.0"),
        ("mpnet", "pad_token_id", 0, "`pad_token_id` must be 1 .*=0"),
        ("mpnet", "relative_attention_num_buckets", 16, "must be 32.*=16"),
        ("openai-gpt", "afn", "relu", "`afn` must be one of gelu_tanh.*relu"),
        ("openai-gpt", "attn_pdrop", 1.0, "at least 0 and below 1"),
        ("openai-gpt", "summary_activation", "tanh", "must be None for"),
        ("openai-gpt", "summary_proj_to_labels", False, "must be True for"),
        ("openai-gpt", "summary_type", "last", "must be 'cls_index' for"),
        ("openai-gpt", "summary_use_proj", False, "must be True for"),
        ("roberta", "max_position_embeddings", 2, "integer, at least 3.*=2"),
        ("roberta", "pad_token_id", -1, "`pad_token_id` must be an integer"),
        ("roberta", "pad_token_id", 513, "at least 515.*=514"),
        ("xlnet", "d_head", 32, "`d_head` must be 64 for this XLNet.*=32"),
        ("xlnet", "summary_activation", "gelu", "must be 'tanh' for XLNet"),
        ("xlnet", "summary_type", "first", "must be 'last' for XLNet"),
        ("xlnet", "summary_use_proj", False, "must be True for XLNet"),
        ("xlnet", "untie_r", False, "`untie_r` must be True for XLNet"),
    ],
)
def test_wrong_values_name_file_and_key(
    model_type, key, value, message, tmp_path
):
    path = tmp_path / "some_config.json"
    path.write_text(json.dumps({"vocab_size": 30, key: value}))
    with pytest.raises(ValueError, match=f"some_config.json: .*{message}"):
        find_family(model_type).config.from_json(path)


@pytest.mark.parametrize("model_type", ["t5", None, ["bert"]])
def test_an_unknown_family_is_an_error_that_names_the_known(model_type):
    with pytest.raises(ValueError, match="one of albert, bert,.*Rec") as info:
        config_from({"model_type": model_type, "vocab_size": 9})
    assert repr(model_type) in str(info.value)


def _modernbert(**values):
    config_class = find_family("modernbert").config
    return config_class.from_dict({"vocab_size": 50368, **values})


def test_both_spellings_of_a_published_modernbert_are_read():
    config = _modernbert(**_MORE_KEYS["modernbert"])
    today = _modernbert(layer_types=_KINDS, rope_parameters=_ROTARY)
    assert config == today == type(config)(50368)
    assert config.layer_types == _KINDS
    written = config.to_dict()
    assert written["rope_parameters"] == _ROTARY
    old = {"global_attn_every_n_layers", "global_rope_theta"}
    assert not (old | {"local_rope_theta"}) & {*written}


@pytest.mark.parametrize(
    "is_sliding, period",
    [((0, 1, 1, 0, 1), 3), ((0, 0, 0), 1), ((0, 1, 1), 3)],
)
def test_layer_types_are_read_as_a_period(is_sliding, period):
    kinds = [_SLIDING if x else _FULL for x in is_sliding]
    config = _modernbert(num_hidden_layers=len(kinds), layer_types=kinds)
    assert config.global_attn_every_n_layers == period
    assert config.layer_types == kinds


def test_a_list_of_attentions_is_read_as_the_word():
    config_class = find_family("deberta-v2").config
    for kinds in ("p2c|c2p", ["c2p", "p2c"]):
        values = {"vocab_size": 128100, "pos_att_type": kinds}
        values |= {"conv_kernel_size": 0, "conv_act": "tanh"}
        assert config_class.from_dict(values) == config_class(128100)
