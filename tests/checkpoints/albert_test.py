"""ALBERT in the files of google-research."""

import json
import re
import shutil

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.arrays.tensorflow_file import TensorFlowFile
from keras_bert.models.albert import AlbertConfig
from tests.families.golden import Golden
from tests.families.golden import assert_equal_weights


@pytest.fixture(scope="module")
def golden(make_settings_of):
    return Golden("albert", make_settings_of)


@pytest.fixture(scope="module")
def model(golden, tmp_path_factory):
    return from_pretrained(golden.write(tmp_path_factory.mktemp("x") / "hf"))


# What google-research/albert calls what transformers calls so, from left to
# right as its graph is made.
_GOOGLE_NAMES = {
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
}


def google_arrays(golden):
    """The same weights as google-research/albert names and lays them."""
    arrays = {}
    for name, array in golden.weights.items():
        if "decoder" not in name:
            for pattern, ours in _GOOGLE_NAMES.items():
                name = re.sub(pattern, ours, name)
            is_kernel = name.endswith("/kernel")
            arrays[name] = array.T if is_kernel else array
    return arrays


@pytest.fixture(scope="module")
def google_directory(golden, save_with_tf1, tmp_path_factory):
    """As Google has published it: another name of the checkpoint, slots."""
    directory = tmp_path_factory.mktemp("google")
    theirs = ("_token_id", "architectures", "model_type", "layer_norm_eps")
    theirs += ("transformers_version", "tie_word", "classifier_dropout")
    values = {
        key: value
        for key, value in golden.config.items()
        if not any(word in key for word in theirs)
    }
    values |= {"hidden_act": "gelu", "net_structure_type": 0, "gap_size": 0}
    values |= {"num_memory_blocks": 0, "down_scale_factor": 1}
    (directory / "albert_config.json").write_text(json.dumps(values))
    golden.settings.vocabulary.save(directory / "30k-clean.model")
    save_with_tf1(
        directory / "model.ckpt-best",
        google_arrays(golden),
        ["AdamWeightDecayOptimizer", "AdamWeightDecayOptimizer_1"],
    )
    return directory


def test_the_weights_of_google_are_those_of_transformers(
    google_directory, model
):
    google_model = from_pretrained(google_directory)
    assert google_model.config == model.config
    assert google_model.parts == model.parts
    assert_equal_weights(google_model, model)


def test_what_google_reads_is_written(
    model, golden, google_directory, tmp_path
):
    save_pretrained(model, tmp_path, format="tf1")
    written = TensorFlowFile(tmp_path / "bert_model.ckpt")
    arrays = google_arrays(golden)
    assert {*written.shapes} == {*arrays}
    for name, array in arrays.items():
        np.testing.assert_array_equal(written.read(name), array)
    config = json.loads((tmp_path / "albert_config.json").read_text())
    published = (google_directory / "albert_config.json").read_text()
    for key, value in json.loads(published).items():
        assert config.get(key, value) == value, key
    assert not (tmp_path / "bert_config.json").exists()
    assert_equal_weights(from_pretrained(tmp_path), model)


def test_google_has_no_place_for_roberta(make_settings_of, tmp_path):
    roberta = Golden("roberta", make_settings_of)
    model = from_pretrained(roberta.write(tmp_path / "hf"))
    with pytest.raises(ValueError, match="one that holds RoBERTa.*: tf1"):
        save_pretrained(model, tmp_path / "new", format="tf1")
    assert not list((tmp_path / "new").iterdir())


def test_google_has_no_matrix_between_equal_sizes(make_settings, tmp_path):
    config = AlbertConfig(40, 16, 2, 4, embedding_size=16)
    settings = make_settings("sentencepiece")
    model = PretrainedModel.from_config(config, settings)
    with pytest.raises(
        ValueError, match="google-research/albert has no matrix.*=16.*=16"
    ):
        save_pretrained(model, tmp_path / "new", format="tf1")


def test_two_configs_of_google_are_an_error(google_directory, tmp_path):
    shutil.copytree(google_directory, tmp_path / "two")
    (tmp_path / "two" / "bert_config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="must hold one config. Rec"):
        from_pretrained(tmp_path / "two")


@pytest.mark.parametrize("key", ["num_hidden_groups", "inner_group_num"])
def test_more_blocks_than_arrays_are_an_error(key, golden, tmp_path):
    changes = {key: 10**9, "num_hidden_layers": 10**9}
    path = golden.write(tmp_path / "hf", **changes)
    with pytest.raises(CheckpointError, match=f"arrays, too few .*{key}=10000"):
        from_pretrained(path)
