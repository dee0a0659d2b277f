"""Configs of all families: published, our own, and invalid files."""

import dataclasses
import json
import pathlib

import pytest

from keras_bert.checkpoints.family import config_from
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.family import read_config
from keras_bert.checkpoints.weight_table import model_types
from tests import tiny

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
    more = {
        key: value
        for key, value in _MORE_KEYS[config.model_type].items()
        if key not in ("conv_kernel_size", "conv_act", "pooler_hidden_size")
    }
    published = {"architectures": ["Some"], **config.to_dict(), **more}
    published["model_type"] = config.model_type
    assert type(config).from_dict(published) == config


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


@pytest.mark.parametrize("model_type", model_types())
def test_a_config_survives_its_own_file(model_type, tmp_path):
    config = tiny.config(model_type)
    config.to_json(tmp_path / "config.json")
    assert type(config).from_json(tmp_path / "config.json") == config
    assert read_config(tmp_path / "config.json") == config


@pytest.mark.parametrize(
    "model_type, marks, expected",
    [
        ("albert", {}, "gelu_tanh"),
        ("albert", {"architectures": ["AlbertForMaskedLM"]}, "gelu_erf"),
        ("bert", {}, "gelu_tanh"),
        ("bert", {"architectures": ["BertForMaskedLM"]}, "gelu_erf"),
        ("electra", {}, "gelu_erf"),
        ("roberta", {}, "gelu_erf"),
    ],
)
def test_gelu_is_what_the_publisher_means_by_it(model_type, marks, expected):
    values = {"vocab_size": 9, "hidden_act": "gelu", **marks}
    config = find_family(model_type).config.from_dict(values)
    assert config.hidden_act == expected


_ROPE = "`rope_parameters` must give.*"


@pytest.mark.parametrize(
    "model_type, key, value, message",
    [
        ("albert", "num_hidden_groups", 13, "from 1 to 12.*groups=13"),
        ("albert", "inner_group_num", 0, "`inner_group_num` must be an int"),
        ("albert", "embedding_size", 12.5, "must be an integer.*12.5"),
        ("albert", "net_structure_type", 1, "`net_structure_type` must be 0"),
        ("albert", "classifier_dropout_prob", 1, "least 0 and below 1.*prob=1"),
        ("albert", "dim", 768, "Unknown config key.*dim=768.*embedding_size"),
        ("big_bird", "use_bias", False, "`use_bias` must be True.*=False"),
        ("big_bird", "rescale_embeddings", True, "must be False for BigB.*Tr"),
        (
            "big_bird",
            "attention_type",
            "sparse",
            "block_sparse, orig.*'sparse'",
        ),
        ("big_bird", "block_size", 0, "`block_size` must be an integer.*=0"),
        ("big_bird", "num_random_blocks", 0, "integer, at least 1.*=0"),
        ("big_bird", "random_blocks", "some", "published, transfor.*'some'"),
        ("deberta", "max_relative_positions", 64, "must be -1 for DeBERTa.*64"),
        ("deberta", "pos_att_type", "c2p", "`pos_att_type` must be .*'c2p'"),
        ("deberta", "position_buckets", 256, "Unknown config key.*buckets=256"),
        ("deberta", "pooler_hidden_size", 9, "hidden_size` must be 768.*=9"),
        ("deberta-v2", "relative_attention", False, "must be True.*=False"),
        ("deberta-v2", "position_biased_input", True, "must be False.*=True"),
        ("deberta-v2", "share_att_key", False, "must be True.*=False"),
        ("deberta-v2", "conv_groups", 2, "`conv_groups` must be 1 for DeB.*=2"),
        ("deberta-v2", "type_vocab_size", 2, "must be 0 for DeBERTa.*=2"),
        ("deberta-v2", "attention_head_size", 32, "must be 64.*=32"),
        ("deberta-v2", "conv_kernel_size", -1, "integer, at least 0.*=-1"),
        ("deberta-v2", "position_buckets", 0, "integer, at least 1.*=0"),
        ("distilbert", "hidden_size", 768, "Unknown config key.*768.*n_layers"),
        ("distilbert", "tie_weights_", False, "`tie_weights_` must be True"),
        ("distilbert", "n_heads", 7, "`dim` must be divisible by `n_heads`"),
        ("distilbert", "n_layers", 0, "`n_layers` must be an int.*=0"),
        ("distilbert", "dropout", 1.0, "at least 0 and below 1.*=1.0"),
        ("distilbert", "activation", "swish", "must be one of.*'swish'"),
        ("electra", "embedding_size", 0, "`embedding_size` must be an in"),
        ("electra", "is_decoder", True, "`is_decoder` must be False.*=True"),
        ("electra", "summary_type", "mean", "must be 'first'.*'mean'"),
        ("electra", "summary_use_proj", False, "must be True for ELECTRA"),
        ("electra", "summary_activation", "tanh", "must be 'gelu'.*'tanh'"),
        ("xlnet", "attn_type", "uni", "`attn_type` must be 'bi' .*='uni'"),
        ("xlnet", "clamp_len", 9, "`clamp_len` must be -1 for XLNet.*=9"),
        ("xlnet", "untie_r", False, "`untie_r` must be True for XLNet"),
        ("xlnet", "d_head", 32, "`d_head` must be 64 for this XLNet.*=32"),
        ("xlnet", "summary_type", "first", "must be 'last' for XLNet"),
        ("ernie", "use_task_id", 1, "`use_task_id` must be .*=1"),
        ("ernie", "task_type_vocab_size", 0, "integer, at least 1.*=0"),
        ("ernie", "is_decoder", True, "`is_decoder` must be False.*=True"),
        ("longformer", "attention_window", 511, "must be an even integer.*511"),
        ("longformer", "attention_window", 0, "must be an even integer.*=0"),
        ("longformer", "attention_window", None, "an even integer.*=None"),
        ("longformer", "attention_window", [8] * 11, "each of the 12 blocks"),
        ("longformer", "attention_window", [7] * 12, "an even integer.*=7"),
        ("longformer", "sep_token_id", -1, "`sep_token_id` must be an int"),
        ("longformer", "is_decoder", True, "`is_decoder` must be False.*True"),
        ("modernbert", "hidden_act", "gelu", "Unknown.*hidden_act='gelu'"),
        ("modernbert", "rope_scaling", {"factor": 4.0}, "must be None.*4.0"),
        ("modernbert", "hidden_activation", "silu", "must be.*'silu'"),
        ("modernbert", "norm_bias", True, "`norm_bias` must be False.*=True"),
        ("modernbert", "decoder_bias", False, "`decoder_bias` must be True"),
        ("modernbert", "classifier_activation", "relu", "must be 'gelu' for"),
        ("modernbert", "classifier_pooling", "max", "one of cls, mean.*'max'"),
        ("modernbert", "num_attention_heads", 256, "must be even.*heads=256"),
        ("modernbert", "local_attention", 0, "integer, at least 2.*=0"),
        ("modernbert", "layer_types", _KINDS[1:], "the kind of each block"),
        ("modernbert", "layer_types", [_SLIDING] * 22, "kind of each block"),
        ("modernbert", "layer_types", _SLIDING, "must be a list.*'sliding_att"),
        (
            *("modernbert", "rope_parameters"),
            {**_ROTARY, _FULL: {"rope_type": "yarn", "rope_theta": 1.0}},
            f"{_ROPE}yarn",
        ),
        (
            *("modernbert", "rope_parameters"),
            {**_ROTARY, _FULL: {"rope_theta": 1.0, "factor": 2.0}},
            f"{_ROPE}factor",
        ),
        ("modernbert", "rope_parameters", {"local": {}}, f"{_ROPE}local"),
        ("modernbert", "rope_parameters", {"rope_theta": 1.0}, f"{_ROPE}theta"),
        ("modernbert", "rope_parameters", 10000.0, f"{_ROPE}=10000.0"),
        ("mpnet", "type_vocab_size", 2, "`type_vocab_size` must be 0 for MPN"),
        ("mpnet", "relative_attention_num_buckets", 16, "must be 32.*=16"),
        ("openai-gpt", "afn", "relu", "`afn` must be one of gelu_tanh.*relu"),
        ("openai-gpt", "n_head", 7, "`n_embd` must be divisible by `n_head`"),
        ("openai-gpt", "n_special", 3, "`n_special` must be 0.*n_special=3"),
        ("openai-gpt", "attn_pdrop", 1.0, "at least 0 and below 1"),
        ("openai-gpt", "summary_type", "last", "must be 'cls_index' for"),
        ("openai-gpt", "summary_activation", "tanh", "must be None for"),
        ("openai-gpt", "summary_use_proj", False, "must be True for"),
        ("openai-gpt", "summary_proj_to_labels", False, "must be True for"),
        ("ernie", "pool_act", "relu", "`pool_act` must be 'tanh'.*'relu'"),
        ("ernie", "task_id", 1, "`task_id` must be 0.*task_id=1"),
        ("longformer", "attention_mode", "n2", "must be 'longformer'.*'n2'"),
        ("longformer", "attention_dilation", [2, 1], r"must be \[1, .*\[2, 1"),
        ("longformer", "autoregressive", True, "must be False.*=True"),
        ("longformer", "ignore_attention_mask", True, "must be False.*=True"),
        ("roberta", "is_decoder", True, "`is_decoder` must be False.*True"),
        ("roberta", "pad_token_id", -1, "`pad_token_id` must be an integer"),
        ("roberta", "pad_token_id", None, "must be an integer.*None"),
        (
            "roberta",
            "pad_token_id",
            513,
            "at least 515.*=514",
        ),
        ("roberta", "max_position_embeddings", 2, "integer, at least 3.*=2"),
        ("roberta", "position_embedding_type", "relative_key", "'absolute'"),
        ("roberta", "embedding_size", 128, "Unknown config key.*size=128"),
        (
            "xlm-roberta",
            "pad_token_id",
            -1,
            "`pad_token_id` must be an integer",
        ),
        *(
            (name, "model_type", "other", f"must be '{name}' for .*'other'")
            for name in model_types()
        ),
    ],
)
def test_wrong_values_name_file_and_key(
    model_type, key, value, message, tmp_path
):
    path = tmp_path / "some_config.json"
    path.write_text(json.dumps({"vocab_size": 30, key: value}))
    with pytest.raises(ValueError, match=f"some_config.json: .*{message}"):
        find_family(model_type).config.from_json(path)


@pytest.mark.parametrize("model_type", ["t5", 3, None, ["bert"]])
def test_an_unknown_family_is_an_error_that_names_the_known(model_type):
    message = (
        "one of albert, bert, big_bird, deberta, deberta-v2, distilbert, .*Rec"
    )
    with pytest.raises(ValueError, match=message) as info:
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
    [((0, 1, 1, 0, 1), 3), ((0, 0, 0), 1), ((0, 1, 1), 3), ((0,), 1)],
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
