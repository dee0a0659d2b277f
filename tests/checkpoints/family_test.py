import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.family import config_from
from keras_bert.checkpoints.family import find_family
from keras_bert.checkpoints.formats.hugging_face_names import encoder_prefix
from keras_bert.checkpoints.weight_table import model_types
from keras_bert.checkpoints.weight_table import read_table
from keras_bert.checkpoints.weight_table import tied_arrays
from keras_bert.layers.bert_embeddings import BertEmbeddings
from keras_bert.layers.flat_dense import FlatDense
from keras_bert.models import layer_arguments
from keras_bert.models.families.bert import model as bert
from tests import tiny

_ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def model(make_settings):
    config = tiny.config("bert", V=40)
    return PretrainedModel.from_config(config, make_settings("wordpiece"))


_PREFIXES = {
    "big_bird": "bert.",
    "deberta-v2": "deberta.",
    "modernbert": "model.",
    "openai-gpt": "transformer.",
    "static-embeddings": "embedding.",
    "xlm-roberta": "roberta.",
    "xlnet": "transformer.",
}


@pytest.mark.parametrize("model_type", model_types())
def test_every_table_has_its_family(model_type):
    family = find_family(model_type)
    assert family.model_type == model_type
    assert family.name and family.paper
    published = _PREFIXES.get(model_type, f"{model_type}.")
    assert encoder_prefix(model_type) == published
    originals = {row["hugging_face"] for row in read_table(model_type)}
    assert {*tied_arrays(model_type, "hugging_face").values()} <= originals


def test_a_config_without_a_family_is_of_bert():
    values = {"vocab_size": 9, "hidden_act": "gelu"}
    assert config_from(values).hidden_act == "gelu_tanh"


def test_a_config_of_bert_is_read_without_keras():
    program = (
        "import sys\n"
        "from keras_bert.checkpoints.family import config_from\n"
        "config_from({'model_type': 'bert', 'vocab_size': 9})\n"
        "assert not {'keras', 'tensorflow', 'jax'} & {*sys.modules}\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(_ROOT)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_a_part_that_the_family_lacks_is_an_error(make_settings):
    config = tiny.config("distilbert", V=40)
    with pytest.raises(
        ValueError,
        match="of DistilBERT: masked_lm_head. Received: pooler, nsp_head.$",
    ):
        PretrainedModel.from_config(
            config,
            make_settings("wordpiece"),
            ["pooler", "masked_lm_head", "nsp_head"],
        )


def test_renaming_a_class_breaks_no_file(model, monkeypatch, tmp_path):
    save_pretrained(model, tmp_path)

    class Renamed(BertEmbeddings):
        pass

    class RenamedDense(FlatDense):
        pass

    monkeypatch.setattr(bert, "BertEmbeddings", Renamed)
    monkeypatch.setattr(layer_arguments, "FlatDense", RenamedDense)
    again = from_pretrained(tmp_path)
    assert type(again.backbone.embeddings) is Renamed
    assert type(again.backbone.pooler) is RenamedDense
    for weight, other in zip(
        again.model.weights, model.model.weights, strict=True
    ):
        np.testing.assert_array_equal(weight.numpy(), other.numpy())


@pytest.mark.parametrize("keeps_manifest", [True, False])
@pytest.mark.parametrize(
    "name", ["model.safetensors", "model_config.json", "vocab.txt"]
)
def test_a_missing_file_of_ours_is_named(name, keeps_manifest, model, tmp_path):
    save_pretrained(model, tmp_path)
    if not keeps_manifest:
        (tmp_path / "manifest.json").unlink()
    (tmp_path / name).unlink()
    with pytest.raises(CheckpointError, match=name) as info:
        from_pretrained(tmp_path)
    assert "\n" not in str(info.value)
