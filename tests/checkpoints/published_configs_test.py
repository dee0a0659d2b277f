"""Configs of Hugging Face have the same meaning as in transformers."""

import json
import pathlib

import pytest

from keras_bert.checkpoints.family import config_class

# Defaults of each class of transformers, keys that its versions write for
# every family, and keys of publishers.
_GOLDEN = json.loads(
    (pathlib.Path(__file__).parents[1] / "golden/hf_configs.json").read_text()
)
_DEFAULTS = _GOLDEN["defaults"]
# DeBERTa has no layers for these defaults in transformers.
_DEBERTA = {
    "relative_attention": True,
    "position_biased_input": False,
    "pos_att_type": ["c2p", "p2c"],
}
_NEEDED = {
    "deberta": _DEBERTA,
    "deberta-v2": {
        **_DEBERTA,
        "position_buckets": 256,
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
    },
}
_ACTIVATIONS = {"gelu": "gelu_erf", "gelu_new": "gelu_tanh"}


def read(model_type, /, **values):
    values = {"model_type": model_type, **values}
    return config_class(values).from_transformers(values)


@pytest.mark.parametrize("model_type", _DEFAULTS)
def test_missing_keys_take_the_defaults_of_transformers(model_type):
    needed = _NEEDED.get(model_type, {})
    config, _ = read(model_type, **needed)
    ours = config.to_dict() | {"hidden_act": getattr(config, "hidden_act", 0)}
    theirs = {**_DEFAULTS[model_type], **needed}
    activation = theirs[config.activation_key]
    # The "gelu" of GPT-1 is always the tanh approximation.
    if model_type != "openai-gpt":
        theirs[config.activation_key] = _ACTIVATIONS[activation]
    else:
        theirs[config.activation_key] = "gelu_tanh"
    if "pos_att_type" in theirs:
        assert sorted(ours.pop("pos_att_type")) == theirs["pos_att_type"]
    if not config.sizes.get("K"):
        theirs.pop("conv_act", None)
    shared = {*ours} & {*theirs}
    assert {"vocab_size", config.activation_key} <= shared
    assert {k: ours[k] for k in shared} == {k: theirs[k] for k in shared}


@pytest.mark.parametrize(
    ("model_type", "key"),
    [(kind, key) for kind, keys in _NEEDED.items() for key in keys],
)
def test_a_default_that_cannot_be_read_is_named(model_type, key):
    needed = {k: x for k, x in _NEEDED[model_type].items() if k != key}
    default = _DEFAULTS[model_type][key]
    message = f"`{key}` must be .*`{key}` is missing from the file: .*{default}"
    with pytest.raises(ValueError, match=message):
        read(model_type, **needed)


def test_the_activation_of_a_convolution_is_checked():
    message = "`conv_act` must be.*transformers uses 'tanh'"
    with pytest.raises(ValueError, match=message):
        read("deberta-v2", **_NEEDED["deberta-v2"], conv_kernel_size=3)


@pytest.mark.parametrize("version", _GOLDEN["dumps"])
@pytest.mark.parametrize("model_type", _DEFAULTS)
def test_every_key_of_every_version_is_known(model_type, version):
    values = {
        **(_DEFAULTS[model_type] if version == "5" else {}),
        **_GOLDEN["dumps"][version],
        **_GOLDEN["families"][model_type],
    }
    config, unknown = read(model_type, **values)
    assert unknown == []
    expected, _ = read(model_type, **_GOLDEN["families"][model_type])
    assert config == expected


@pytest.mark.parametrize("publisher", _GOLDEN["publishers"])
@pytest.mark.parametrize("model_type", ["bert", "roberta", "distilbert"])
def test_every_key_of_every_publisher_is_known(model_type, publisher):
    plain, _ = read(model_type)
    assert read(model_type, **_GOLDEN["publishers"][publisher]) == (plain, [])


@pytest.mark.parametrize(
    ("model_type", "names"),
    [
        ("distilbert", ("dim", "n_layers", "n_heads")),
        ("openai-gpt", ("n_embd", "n_layer", "n_head")),
    ],
)
def test_the_names_of_bert_are_read_too(model_type, names):
    config, unknown = read(
        model_type, hidden_size=24, num_hidden_layers=3, num_attention_heads=4
    )
    assert [getattr(config, name) for name in names] == [24, 3, 4]
    assert unknown == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("add_cross_attention", True),
        ("is_encoder_decoder", True),
        ("position_embedding_type", "relative_key_query"),
        ("pruned_heads", {"0": [1]}),
        ("quantization_config", {"bits": 8}),
        ("tie_word_embeddings", False),
    ],
)
def test_a_key_that_changes_the_numbers_is_refused(key, value):
    with pytest.raises(ValueError, match=f"`{key}` must .*{key}="):
        read("bert", **{key: value})


def test_null_is_no_setting():
    assert read("bert", pruned_heads=None) == read("bert")
