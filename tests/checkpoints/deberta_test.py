"""DeBERTa with many lengths, and its published files."""

import json

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from tests.families.golden import Golden
from tests.families.golden import assert_close
from tests.families.golden import assert_equal_weights
from tests.families.golden import long_row

# Around the first, the last and the end of the buckets.
_LENGTHS = (3, 127, 128, 129, 130, 300, 510, 511, 512, 513)
_HEAD = "lm_predictions.lm_head."
_LEGACY_HEAD = {
    _HEAD + "bias": "cls.predictions.bias",
    _HEAD + "dense.": "cls.predictions.transform.dense.",
    _HEAD + "LayerNorm.": "cls.predictions.transform.LayerNorm.",
}
_WIDTH, _ROWS = 8, 512


@pytest.fixture(scope="module", params=["deberta", "deberta-v2"])
def golden(request, make_settings_of):
    return Golden(request.param, make_settings_of)


@pytest.mark.parametrize("length", _LENGTHS)
def test_states_of_each_length_are_those_of_transformers(model, golden, length):
    states = np.asarray(model.encoder(long_row(length))["sequence_output"])
    places = [0, 1, length // 2, length - 2, length - 1]
    expected = golden.outputs[f"lengths/{length}"]
    assert_close(states[0, places], expected, 1e-5)


def test_the_head_of_the_first_release_is_read(golden, model, tmp_path):
    renamed, weights = {}, golden.weights
    for name, array in weights.items():
        for new, old in _LEGACY_HEAD.items():
            name = name.replace(new, old)
        renamed[name] = array
    table = weights["deberta.embeddings.word_embeddings.weight"]
    bias = renamed["cls.predictions.bias"]
    renamed |= {"cls.predictions.decoder.weight": table}
    renamed |= {"cls.predictions.decoder.bias": bias}
    read = from_pretrained(golden.write(tmp_path / "hf", renamed, legacy=True))
    assert read.parts == {"masked_lm_head"}
    assert_equal_weights(read, model)


# microsoft/DeBERTa's names of the last two.
@pytest.mark.parametrize("word", ["classifier", "classifer"])
def test_a_published_file_is_read(word, golden, model, tmp_path):
    random = np.random.default_rng(0)
    found = {
        "mask_predictions.dense.weight": (_WIDTH, _WIDTH),
        "mask_predictions.dense.bias": (_WIDTH,),
        "mask_predictions.LayerNorm.weight": (_WIDTH,),
        "mask_predictions.LayerNorm.bias": (_WIDTH,),
        f"mask_predictions.{word}.weight": (1, _WIDTH),
        f"mask_predictions.{word}.bias": (1,),
    }
    if golden.model_type == "deberta":
        found = {}  # Only discriminators of version 3 have these.
    published = golden.weights | {
        k: random.normal(size=x) for k, x in found.items()
    }
    unused = "deberta.embeddings.position_embeddings.weight"
    halves = {k: x.astype("float16") for k, x in published.items()}
    halves[unused] = np.zeros((_ROWS, _WIDTH), "float16")
    read = from_pretrained(golden.write(tmp_path / "halves", halves))
    assert ("replaced_token_head" in read.parts) == bool(found)
    for path, ours in model.weights.items():
        np.testing.assert_array_equal(
            read.weights[path],
            np.asarray(ours).astype("float16").astype("float32"),
        )
    save_pretrained(read, tmp_path / "hf", format="hf")
    written = SafetensorsFile(tmp_path / "hf" / "model.safetensors")
    names = {k: k.replace("classifer", "classifier") for k in published}
    assert {*written.shapes} == {*names.values()}
    for old, new in names.items():
        np.testing.assert_array_equal(written.read(new), halves[old])
    config = json.loads((tmp_path / "hf" / "config.json").read_text())
    assert config["legacy"] is False and config["relative_attention"] is True


def test_the_positions_of_a_published_file_are_read_for_its_decoder(
    golden, tmp_path
):
    name = "deberta.embeddings.position_embeddings.weight"
    table = np.random.default_rng(0).normal(size=(_ROWS, _WIDTH))
    published = {**golden.weights, name: table.astype("float32")}
    decoder = {"enhanced_mask_decoder": True}
    read = from_pretrained(
        golden.write(tmp_path / "with", published, **decoder)
    )
    found = read.weights["embeddings/position_embeddings"]
    np.testing.assert_array_equal(found, published[name])
    save_pretrained(read, tmp_path / "hf", format="hf")
    written = SafetensorsFile(tmp_path / "hf" / "model.safetensors")
    np.testing.assert_array_equal(written.read(name), published[name])
    with pytest.raises(CheckpointError, match=f"Missing: 1, {name}"):
        from_pretrained(golden.write(tmp_path / "without", **decoder))
