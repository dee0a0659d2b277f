import json
import pathlib

import pytest

from keras_bert.config import BertConfig

_ROOT = pathlib.Path(__file__).parents[1]

# From the README of google-research/bert and arXiv 1908.08962.
_PUBLISHED = {
    # layers, hidden size, heads, intermediate size
    "tiny": (2, 128, 2, 512),
    "mini": (4, 256, 4, 1024),
    "small": (4, 512, 8, 2048),
    "medium": (8, 512, 8, 2048),
    "base": (12, 768, 12, 3072),
    "large": (24, 1024, 16, 4096),
}


@pytest.fixture
def load(tmp_path):
    """Return a function that reads config values, or text, as `BertConfig`."""

    def write_and_read(values, text=None):
        path = tmp_path / "some_config.json"
        path.write_text(text or json.dumps(values), encoding="utf-8")
        return BertConfig.from_json(path)

    return write_and_read


@pytest.mark.parametrize("size", _PUBLISHED)
def test_published_config_has_the_published_sizes(size):
    config = BertConfig.from_json(_ROOT / "configs" / f"bert_{size}.json")
    num_layers, hidden_size, num_heads, intermediate_size = _PUBLISHED[size]
    assert config == BertConfig(
        vocab_size=30522,
        hidden_size=hidden_size,
        num_hidden_layers=num_layers,
        num_attention_heads=num_heads,
        intermediate_size=intermediate_size,
    )
    assert config.hidden_act == "gelu_tanh"
    assert config.hidden_dropout_prob == 0.1
    assert config.layer_norm_eps == 1e-12


@pytest.mark.parametrize(
    "changes, expected",
    [
        ({}, "gelu_tanh"),
        ({"layer_norm_eps": 1e-12}, "gelu_erf"),
        ({"transformers_version": "4.6.0"}, "gelu_erf"),
        ({"hidden_act": "gelu_new"}, "gelu_tanh"),
        ({"hidden_act": "gelu_pytorch_tanh"}, "gelu_tanh"),
    ],
)
def test_activations_are_what_the_publisher_means(changes, expected, load):
    values = {"vocab_size": 30, "hidden_act": "gelu", **changes}
    assert load(values).hidden_act == expected


def test_keys_that_describe_other_things_are_dropped(load):
    values = {
        "vocab_size": 30,
        "directionality": "bidi",
        "pooler_fc_size": 768,
        "id2label": {"0": "LABEL_0"},
        "position_embedding_type": "absolute",
        "is_decoder": False,
    }
    assert load(values) == BertConfig(vocab_size=30)


@pytest.mark.parametrize(
    "key, value, message",
    [
        ("hidden_sise", 8, "Unknown.*hidden_sise=8.*Known:.*hidden_size"),
        ("hidden_size", "8", "`hidden_size`.*integer.*hidden_size='8'"),
        ("hidden_size", True, "`hidden_size`.*hidden_size=True"),
        ("hidden_size", 10, "`hidden_size`.*hidden_size=10.*heads=12"),
        ("vocab_size", -5, "`vocab_size`.*at least 1.*vocab_size=-5"),
        ("hidden_dropout_prob", 1, "`hidden_dropout_prob`.*dropout_prob=1."),
        ("initializer_range", -1, "`initializer_range`.*_range=-1"),
        ("layer_norm_eps", float("inf"), "`layer_norm_eps`.*_eps=inf"),
        ("hidden_act", ["gelu"], r"`hidden_act`.*hidden_act=\['gelu'\]"),
        ("model_type", "roberta", "`model_type`.*'bert'.*model_type='roberta'"),
        ("position_embedding_type", "relative_key", "'absolute'.*tive_key'"),
        ("is_decoder", 1, "`is_decoder`.*True or False.*is_decoder=1"),
        ("tie_word_embeddings", False, "`tie_word_embeddings`.*=False"),
    ],
)
def test_a_wrong_value_is_named_with_its_file(key, value, message, load):
    with pytest.raises(ValueError, match=f"some_config.json: .*{message}"):
        load({"vocab_size": 30, key: value})


@pytest.mark.parametrize(
    "text, message",
    [
        ('{"hidden_size": 768}', ": `vocab_size`"),
        ("vocab_size: 30", ": not a JSON file"),
        ("[30]", ".*Received: list"),
    ],
)
def test_a_file_of_something_else_is_an_error(text, message, load):
    with pytest.raises(ValueError, match=f"some_config.json{message}"):
        load(None, text)
