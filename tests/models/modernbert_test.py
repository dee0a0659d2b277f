import dataclasses
import json
import pathlib

import numpy as np
import pytest

from keras_bert import models
from keras_bert.checkpoints.weight_table import weight_shapes
from keras_bert.layers import Rotary
from keras_bert.layers import Window
from keras_bert.models.modernbert import FAMILY
from keras_bert.models.modernbert_config import ModernBertConfig

_CONFIGS = pathlib.Path(__file__).parents[2] / "configs"
_TINY = ModernBertConfig(
    vocab_size=30,
    hidden_size=8,
    num_hidden_layers=4,
    num_attention_heads=2,
    intermediate_size=12,
    max_position_embeddings=16,
    local_attention=4,
)
# Each key that files on the Hub have.
_PUBLISHED = {
    "architectures": ["ModernBertForMaskedLM"],
    "attention_bias": False,
    "attention_dropout": 0.0,
    "bos_token_id": 50281,
    "classifier_activation": "gelu",
    "classifier_bias": False,
    "classifier_dropout": 0.0,
    "classifier_pooling": "mean",
    "cls_token_id": 50281,
    "decoder_bias": True,
    "deterministic_flash_attn": False,
    "embedding_dropout": 0.0,
    "eos_token_id": 50282,
    "global_attn_every_n_layers": 3,
    "global_rope_theta": 160000.0,
    "gradient_checkpointing": False,
    "hidden_activation": "gelu",
    "hidden_size": 768,
    "initializer_cutoff_factor": 2.0,
    "initializer_range": 0.02,
    "intermediate_size": 1152,
    "layer_norm_eps": 1e-05,
    "local_attention": 128,
    "local_rope_theta": 10000.0,
    "max_position_embeddings": 8192,
    "mlp_bias": False,
    "mlp_dropout": 0.0,
    "model_type": "modernbert",
    "norm_bias": False,
    "norm_eps": 1e-05,
    "num_attention_heads": 12,
    "num_hidden_layers": 22,
    "pad_token_id": 50283,
    "position_embedding_type": "absolute",
    "reference_compile": None,
    "repad_logits_with_grad": False,
    "rope_scaling": None,
    "sep_token_id": 50282,
    "sparse_pred_ignore_index": -100,
    "sparse_prediction": False,
    "torch_dtype": "float32",
    "transformers_version": "4.47.0.dev0",
    "vocab_size": 50368,
}
_OLD_KEYS = (
    "global_attn_every_n_layers",
    "global_rope_theta",
    "local_rope_theta",
)
_FULL, _SLIDING = "full_attention", "sliding_attention"
_KINDS = [_SLIDING if index % 3 else _FULL for index in range(22)]
_ROTARY = {
    _FULL: {"rope_theta": 160000.0, "rope_type": "default"},
    _SLIDING: {"rope_theta": 10000.0, "rope_type": "default"},
}
_OF_TODAY = {
    **{k: x for k, x in _PUBLISHED.items() if k not in _OLD_KEYS},
    "layer_types": _KINDS,
    "rope_parameters": _ROTARY,
}


def kinds(*sliding):
    return [_SLIDING if x else _FULL for x in sliding]


@pytest.mark.parametrize(
    "size, counts",
    [
        ("modernbert_base", (149_014_272, 149_655_232)),
        ("modernbert_large", (394_781_696, 395_881_664)),
        ("ettin_17m", (16_797_440, 16_913_600)),
        ("ettin_32m", (31_883_136, 32_081_344)),
    ],
)
def test_parameter_counts_are_those_of_transformers(
    num_parameters, size, counts
):
    config = ModernBertConfig.from_json(_CONFIGS / f"{size}.json")
    builders = (models.encoder, models.pretrainer)
    assert tuple(num_parameters(b, config) for b in builders) == counts


def test_both_spellings_of_the_published_config_are_read():
    config = ModernBertConfig.from_dict(_PUBLISHED)
    assert config == ModernBertConfig(50368, classifier_pooling="mean")
    assert config == ModernBertConfig.from_dict(_OF_TODAY)
    assert config.layer_types == _KINDS
    written = config.to_dict()
    assert not {*_OLD_KEYS} & {*written}
    changed = {"hidden_activation": "gelu_erf"}
    assert written.items() <= {**_OF_TODAY, **changed}.items()


@pytest.mark.parametrize(
    "layer_types, period",
    [
        (kinds(0, 1, 1, 0, 1), 3),
        (kinds(0, 0, 0), 1),
        (kinds(0, 1, 1), 3),
        (kinds(0), 1),
    ],
)
def test_layer_types_are_read_as_a_period(layer_types, period):
    values = {
        **_OF_TODAY,
        "num_hidden_layers": len(layer_types),
        "layer_types": layer_types,
    }
    config = ModernBertConfig.from_dict(values)
    assert config.global_attn_every_n_layers == period
    assert config.layer_types == layer_types


def test_config_survives_its_own_file(check_config_file):
    check_config_file(_TINY)
    changes = {"global_attn_every_n_layers": 2, "local_rope_theta": 5.0}
    check_config_file(dataclasses.replace(_TINY, **changes))


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("local_atention", 128, "Unknown config key.*local_atention=128"),
        ("hidden_act", "gelu", "Unknown config key.*hidden_act='gelu'"),
        ("rope_scaling", {"factor": 4.0}, "`rope_scaling` must be None.*4.0"),
        ("hidden_activation", "silu", "`hidden_activation` must be.*'silu'"),
        ("norm_bias", True, "`norm_bias` must be False.*norm_bias=True"),
        ("decoder_bias", False, "`decoder_bias` must be True.*=False"),
        ("classifier_activation", "relu", "must be 'gelu' for ModernBERT"),
        ("classifier_pooling", "max", "must be cls or mean.*'max'"),
        ("num_attention_heads", 256, "must be even.*heads=256"),
        ("local_attention", 0, "`local_attention` must be at least 2.*=0"),
        ("layer_types", _KINDS[1:], "must name the kind of each block"),
        ("layer_types", [_SLIDING] * 22, "must name the kind of each block"),
        ("layer_types", _SLIDING, "must be a list.*'sliding_attention'"),
        (
            "rope_parameters",
            {**_ROTARY, _FULL: {"rope_type": "yarn", "rope_theta": 1.0}},
            "`rope_parameters` must give.*yarn",
        ),
        (
            "rope_parameters",
            {**_ROTARY, _FULL: {"rope_theta": 1.0, "factor": 2.0}},
            "`rope_parameters` must give.*factor",
        ),
        (
            "rope_parameters",
            {"local": {"rope_theta": 1.0}},
            "`rope_parameters` must give.*local",
        ),
        ("rope_parameters", {"rope_theta": 1.0}, "must give.*rope_theta"),
        ("rope_parameters", 10000.0, "must give.*=10000.0"),
    ],
)
def test_wrong_configs_are_errors(key, value, message, check_refused):
    check_refused(ModernBertConfig, {**_OF_TODAY, key: value}, message)


def test_every_third_block_sees_all_tokens():
    blocks = FAMILY.backbone(_TINY).blocks
    attentions = [block.self_attention for block in blocks]
    assert all(type(x.rotary) is Rotary for x in attentions)
    thetas = [x.rotary.theta for x in attentions]
    assert thetas == [160000.0, 10000.0, 10000.0, 160000.0]
    assert [x.pattern is None for x in attentions] == [True, False, False, True]
    assert all(type(x.pattern) is Window for x in attentions[1:3])
    assert attentions[1].pattern.reach == 2
    assert [x.attention_layer_norm is None for x in blocks] == [
        *(True, False, False, False)
    ]


def test_matrices_that_add_to_the_states_start_narrower():
    config = dataclasses.replace(_TINY, hidden_size=64, intermediate_size=64)
    model = models.pretrainer(config)
    stddevs = {w.path: np.std(w) for w in model.weights if w.name == "kernel"}
    # A normal distribution cut at two deviations is 0.88 as wide.
    wide = 0.88 * 0.02
    for path, stddev in stddevs.items():
        is_narrow = "output" in path or "transform" in path
        expected = wide / 8**0.5 if is_narrow else wide
        np.testing.assert_allclose(stddev, expected, rtol=0.1, err_msg=path)


def test_keras_file_keeps_outputs_and_tie(
    random_batch, widened, check_keras_file
):
    model = widened(models.pretrainer(_TINY))
    inputs = random_batch(0)[0]
    del inputs["segment_ids"]
    check_keras_file(model, inputs)


def test_its_last_block_computes_only_what_is_predicted(random_batch):
    model = models.pretrainer(_TINY)
    head = model.get_layer("masked_lm_head")
    assert head.input.shape == (None, None, 8)
    inputs = random_batch(0)[0]
    del inputs["segment_ids"]
    whole = models.encoder(_TINY)
    whole.set_weights(model.get_weights()[: len(whole.weights)])
    encoded = {k: inputs[k] for k in whole.input}
    states = np.asarray(whole(encoded)["sequence_output"])
    rows = inputs["masked_lm_positions"][:, :, None]
    np.testing.assert_allclose(
        model(inputs)["mlm_logits"],
        head(np.take_along_axis(states, rows, axis=1)),
        atol=1e-5,
    )


def test_each_config_is_read():
    names = {path.name for path in _CONFIGS.glob("*.json")}
    for name in ("modernbert_tiny.json", "ettin_17m.json"):
        assert name in names
        values = json.loads((_CONFIGS / name).read_text())
        config = ModernBertConfig.from_json(_CONFIGS / name)
        assert config.hidden_size == values["hidden_size"]


def test_the_table_has_every_weight_of_the_model():
    shapes = {w.path: tuple(w.shape) for w in models.pretrainer(_TINY).weights}
    assert weight_shapes(_TINY) == shapes
