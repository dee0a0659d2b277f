"""Checkpoints of google-research/electra: two models, no config."""

import json
import re
import types

import numpy as np
import pytest

from keras_bert import FillMask
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.tensorflow_file import TensorFlowFile
from keras_bert.checkpoints.layout import check_input
from keras_bert.models.families.electra.model import ElectraConfig
from keras_bert.models.families.electra.model import electra_backbone
from keras_bert.models.families.electra.model import electra_heads
from keras_bert.pretraining.objectives.replaced_tokens import (
    replaced_token_models,
)
from tests.families.golden import assert_equal_weights

_CONFIG = ElectraConfig(
    40,
    embedding_size=8,
    hidden_size=128,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=12,
)
_GENERATOR = _CONFIG.generator(0.5)
_DISCRIMINATOR = "replaced_token_head"
# Names of google-research/electra, by name in transformers.
_GOOGLE_NAMES = {
    r"^electra.embeddings.(\w+_embeddings).weight$": r"electra/embeddings/\1",
    r"LayerNorm.weight$": "LayerNorm/gamma",
    r"LayerNorm.bias$": "LayerNorm/beta",
    r"encoder.layer.(\d).": r"encoder/layer_\1/",
    r"dense_prediction": "dense_1",
    r"^generator_lm_head.bias$": "generator_predictions/output_bias",
    r"\.weight$": "/kernel",
    r"\.": "/",
}


def pair(settings, config=_CONFIG, second=_GENERATOR):
    """Return a discriminator and a generator that shares its embeddings."""
    backbone = electra_backbone(config)
    tables = backbone.embeddings.tables
    backbones = backbone, electra_backbone(second, tables)
    models = [
        PretrainedModel(
            each,
            settings,
            layers,
            electra_heads(each, layers.embeddings),
            [part],
        )
        for each, layers, part in zip(
            (config, second), backbones, (_DISCRIMINATOR, "masked_lm_head")
        )
    ]
    random = np.random.default_rng(0)
    for model in models:
        for weight in model.weights.values():
            weight.assign(random.normal(0.0, 0.3, weight.shape))
    return models


def google_arrays(model, directory):
    """Return its arrays by name in google-research/electra."""
    save_pretrained(model, directory, format="hf")
    # Transposed matrices are read in stripes; these have two.
    assert_equal(from_pretrained(directory), model)
    file = SafetensorsFile(directory / "model.safetensors")
    arrays = {}
    for name in file.shapes:
        array = file.read(name)
        for pattern, theirs in _GOOGLE_NAMES.items():
            name = re.sub(pattern, theirs, name)
        if _DISCRIMINATOR not in model.parts and "embeddings/" not in name:
            name = name.replace("electra/", "generator/")
        is_kernel = name.endswith("/kernel")
        arrays[name] = array.T if is_kernel else array
    return arrays


@pytest.fixture(scope="module")
def settings(make_settings):
    return make_settings("wordpiece")


@pytest.fixture(scope="module")
def models(settings):
    return pair(settings)


@pytest.fixture(scope="module")
def arrays(models, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hf")
    return [google_arrays(x, folder / str(n)) for n, x in enumerate(models)]


@pytest.fixture(scope="module")
def directory(arrays, settings, save_with_tf1, tmp_path_factory):
    """Write both models, slots and vocabulary, without config, as published."""
    directory = tmp_path_factory.mktemp("electra_small")
    settings.vocabulary.save(directory / "vocab.txt")
    ours, generator = arrays
    assert {*ours} & {*generator} == {
        name for name in ours if name.startswith("electra/embeddings/")
    }
    scalar = np.ones((), np.float32)
    more = dict.fromkeys(("temperature", "task_specific/mrpc/bias"), scalar)
    save_with_tf1(directory / "electra_small", {**ours, **generator, **more})
    return directory


def assert_equal(ours, expected):
    assert ours.config == expected.config
    assert ours.parts == expected.parts
    assert_equal_weights(ours, expected)


def test_both_models_are_read_by_the_shapes_of_their_arrays(directory, models):
    check_input(directory / "generator")
    for place, expected in zip((directory, directory / "generator"), models):
        assert_equal(from_pretrained(place, lowercase=True), expected)
    filler = FillMask.from_pretrained(directory / "generator", lowercase=True)
    assert len(filler("word1 [MASK]")) == 1


@pytest.mark.parametrize("number", [0, 1])
def test_what_google_reads_is_written(number, models, arrays, tmp_path):
    save_pretrained(models[number], tmp_path, format="tf1")
    written = TensorFlowFile(tmp_path / "bert_model.ckpt")
    assert {*written.shapes} == {*arrays[number]}
    for name, array in arrays[number].items():
        np.testing.assert_array_equal(written.read(name), array)
    config = json.loads((tmp_path / "electra_config.json").read_text())
    assert config["hidden_act"] == "gelu"
    assert_equal(from_pretrained(tmp_path), models[number])


def test_tables_as_wide_as_the_blocks_have_no_matrix(settings, tmp_path):
    config = ElectraConfig(40, 64, 1, 1, 32, embedding_size=64)
    discriminator, _ = pair(settings, config)
    save_pretrained(discriminator, tmp_path, format="tf1")
    file = TensorFlowFile(tmp_path / "bert_model.ckpt")
    assert not [name for name in file.shapes if "embeddings_project" in name]
    for name in ("electra_config.json", "manifest.json"):
        (tmp_path / name).unlink()
    assert_equal(from_pretrained(tmp_path), discriminator)


def test_other_heads_need_their_config(models, arrays, directory, tmp_path):
    """Without a config, the shapes imply other heads than four of 32."""
    config = {**models[0].config.to_dict(), "num_attention_heads": 4}
    (tmp_path / "electra_config.json").write_text(json.dumps(config))
    for path in directory.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    model = from_pretrained(tmp_path, lowercase=True)
    assert model.config.num_attention_heads == 4


@pytest.mark.parametrize(
    "name, message",
    [
        ("electra/embeddings/word_embeddings", "vocab_size cannot be derived"),
        ("electra/encoder/layer_1/output/dense/bias", "Missing: 1, .*layer_1"),
        ("", "does not contain .*bert_config.json"),
    ],
)
def test_what_is_missing_is_named(
    name, message, arrays, settings, save_with_tf1, tmp_path
):
    left = {key: x for key, x in arrays[0].items() if key != name}
    if not name:  # Arrays that do not imply sizes.
        left = {"bert/x": np.ones(3, np.float32)}
    save_with_tf1(tmp_path / "model", left)
    settings.write(tmp_path)
    with pytest.raises(CheckpointError, match=message):
        from_pretrained(tmp_path)


def test_pretraining_goes_on_with_both(directory, models):
    recipe = types.SimpleNamespace(
        init_checkpoint=str(directory), do_lower_case=True, random_seed=1
    )
    discriminator = from_pretrained(directory, lowercase=True)
    trainable = replaced_token_models(discriminator, recipe, from_pretrained)
    for kept, expected in zip(
        reversed(trainable.kept.values()), models, strict=True
    ):
        assert_equal(kept, expected)
