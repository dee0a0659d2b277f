"""Files of google-research and of the Model Garden."""

import dataclasses
import json
import pathlib
import re
import shutil

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.arrays.tensorflow_file import TensorFlowFile
from tests.families.golden import Golden
from tests.families.golden import assert_close
from tests.families.golden import assert_equal_weights

_GARDEN = pathlib.Path(__file__).parents[2] / "golden/model_garden"
# Names in google-research by name in transformers, replaced in order.
_NAMES = {
    "gelu_new": {
        r"layer\.(\d)": r"layer_\1",
        r"_embeddings.weight": "_embeddings",
        r"(dense|query|key|value).weight": r"\1/kernel",
        r"predictions.bias": "predictions/output_bias",
        r"relationship\.": "relationship/output_",
        r"output_weight$": "output_weights",
        r"LayerNorm.weight": "LayerNorm/gamma",
        r"LayerNorm.bias": "LayerNorm/beta",
        r"\.": "/",
    },
    "albert": {
        r"^albert.embeddings.(\w+_embeddings).weight$": r"bert/embeddings/\1",
        r"^albert.encoder.embedding_hidden": "bert/encoder/embedding_hidden",
        r"^albert.encoder.albert_layer_groups.(\d).albert_layers.(\d).": (
            r"bert/encoder/transformer/group_\1/inner_group_\2/"
        ),
        r"^albert.pooler": "bert/pooler/dense",
        r"full_layer_layer_norm": "LayerNorm_1",
        r"attention.LayerNorm": "LayerNorm",
        r"attention.dense": "attention_1/output/dense",
        r"attention.(query|key|value)": r"attention_1/self/\1",
        r"ffn_output": "ffn_1/intermediate/output/dense",
        r"ffn\.": "ffn_1/intermediate/dense.",
        r"^predictions.bias": "cls/predictions/output_bias",
        r"^predictions.": "cls/predictions/transform/",
        r"^sop_classifier.classifier.": "cls/seq_relationship/output_",
        r"output_weight$": "output_weights",
        r"LayerNorm(\w*).weight": r"LayerNorm\1/gamma",
        r"LayerNorm(\w*).bias": r"LayerNorm\1/beta",
        r"^albert.embeddings.": "bert/embeddings/",
        r"\.weight$": "/kernel",
        r"\.bias$": "/bias",
    },
}


@pytest.fixture(scope="module", params=_NAMES)
def golden(request, make_settings_of):
    golden = Golden(request.param, make_settings_of)
    golden.name = request.param
    return golden


@pytest.fixture(scope="module")
def arrays(golden):
    """Return the same weights with google-research's names and layout."""
    arrays = {}
    for name, array in golden.weights.items():
        if "decoder" not in name:
            for pattern, theirs in _NAMES[golden.name].items():
                name = re.sub(pattern, theirs, name)
            arrays[name] = array.T if name.endswith("/kernel") else array
    return arrays


@pytest.fixture(scope="module")
def directory(golden, model, arrays, save_with_tf1, tmp_path_factory):
    """Write a directory as published: with slots, without a casing file."""
    directory = tmp_path_factory.mktemp("google")
    values = {**model.config.fields(), "hidden_act": "gelu"}
    for key in ("is_decoder", "layer_norm_eps"):
        values.pop(key, None)
    config = directory / f"{golden.model_type}_config.json"
    config.write_text(json.dumps(values))
    is_bert = golden.model_type == "bert"
    name = "vocab.txt" if is_bert else "30k-clean.model"
    golden.settings.vocabulary.save(directory / name)
    prefix = "bert_model.ckpt" if is_bert else "model.ckpt-best"
    optimizer = "AdamWeightDecayOptimizer"
    slots = ["adam_m", "adam_v"] if is_bert else [optimizer, f"{optimizer}_1"]
    save_with_tf1(directory / prefix, arrays, slots)
    return directory


_OF_BERT = pytest.mark.parametrize("golden", ["gelu_new"], indirect=True)
_OF_ALBERT = pytest.mark.parametrize("golden", ["albert"], indirect=True)


def test_the_weights_of_google_are_those_of_transformers(directory, model):
    if model.config.model_type == "bert":
        message = "No file says.*lowercase=True"
        with pytest.raises(CheckpointError, match=message):
            from_pretrained(directory)
    google = from_pretrained(directory, lowercase=True)
    assert google.config == model.config
    assert google.parts == model.parts
    assert_equal_weights(google, model)


def test_what_google_reads_is_written(model, arrays, directory, tmp_path):
    save_pretrained(model, tmp_path, format="tf1")
    written = TensorFlowFile(tmp_path / "bert_model.ckpt")
    assert {*written.shapes} == {*arrays}
    for name, array in arrays.items():
        np.testing.assert_array_equal(written.read(name), array)
    (published,) = directory.glob("*_config.json")
    config = json.loads((tmp_path / published.name).read_text())
    assert config == json.loads(published.read_text())
    again = from_pretrained(tmp_path)
    assert again.config == model.config
    assert_equal_weights(again, model)


@_OF_BERT
def test_the_erf_form_survives_a_round_trip(model, tmp_path):
    erf = dataclasses.replace(model.config, hidden_act="gelu_erf")
    changed = PretrainedModel.from_config(erf, model.tokenizer_settings)
    save_pretrained(changed, tmp_path, format="tf1")
    assert from_pretrained(tmp_path).config.hidden_act == "gelu_erf"


@_OF_ALBERT
def test_two_configs_or_checkpoints_are_an_error(directory, tmp_path):
    shutil.copytree(directory, tmp_path / "two")
    (tmp_path / "two" / "bert_config.json").write_text("{}")
    with pytest.raises(
        CheckpointError, match="must contain exactly one config file. Rec"
    ):
        from_pretrained(tmp_path / "two")
    (tmp_path / "two" / "model.ckpt-1.index").touch()
    with pytest.raises(CheckpointError, match="model.ckpt-1, model.ckpt-best"):
        from_pretrained(tmp_path / "two")


@_OF_ALBERT
@pytest.mark.parametrize("key", ["num_hidden_groups", "inner_group_num"])
def test_more_blocks_than_arrays_are_an_error(key, golden, tmp_path):
    changes = {key: 10**9, "num_hidden_layers": 10**9}
    path = golden.write(tmp_path / "hf", **changes)
    with pytest.raises(CheckpointError, match=f"arrays, too few .*{key}=10000"):
        from_pretrained(path)


@pytest.mark.parametrize("name", ["encoder", "encoder_v2", "pretrainer"])
def test_the_model_garden_gives_the_golden_outputs(name):
    names = {"input_word_ids": "input_ids", "input_type_ids": "segment_ids"}
    with np.load(_GARDEN / "outputs.npz") as arrays:
        groups = {"inputs": {}, "outputs": {}}
        for key in arrays:
            group, _, array = key.partition("/")
            groups[group][names.get(array, array)] = arrays[key]
    bert = from_pretrained(_GARDEN / name, lowercase=True)
    inputs, expected = groups["inputs"], groups["outputs"]
    if name == "pretrainer":
        heads = bert.pretrainer(inputs)
        assert_close(heads["mlm_logits"], expected["mlm_logits"], 2e-5)
        assert_close(heads["nsp_logits"], expected["next_sentence"], 2e-5)
        expected["pooled_output"] = expected["next_sentence_pooled_output"]
    else:
        assert bert.parts == {"pooler"}
    del inputs["masked_lm_positions"]
    for output, value in bert.encoder(inputs).items():
        assert_close(value, expected[output], 2e-5)
