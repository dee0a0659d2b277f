"""DistilBERT through the whole house, against transformers' own numbers."""

import json
import pathlib

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "hf_distilbert.npz"
_COPY = "vocab_projector.weight"


@pytest.fixture(scope="module")
def golden():
    """What `make_distilbert_golden.py` has written, in groups."""
    groups = {"weights": {}, "inputs": {}, "outputs": {}}
    with np.load(_GOLDEN) as arrays:
        for key in arrays:
            group, _, name = key.partition("/")
            if name:
                groups[group][name] = arrays[key]
        groups["config"] = json.loads(str(arrays["config"]))
    return groups


def write_directory(directory, golden, weights=None):
    """As transformers writes it."""
    weights = golden["weights"] if weights is None else weights
    directory.mkdir()
    words = [f"word{n}" for n in range(35)]
    text = "".join(f"{token}\n" for token in [*SPECIAL_TOKENS, *words])
    (directory / "vocab.txt").write_text(text)
    (directory / "config.json").write_text(json.dumps(golden["config"]))
    settings = {"do_lower_case": True}
    (directory / "tokenizer_config.json").write_text(json.dumps(settings))
    write_safetensors(
        directory / "model.safetensors",
        [(name, x.shape, lambda x=x: x) for name, x in weights.items()],
    )
    return directory


@pytest.fixture(scope="module")
def directory(golden, tmp_path_factory):
    return write_directory(tmp_path_factory.mktemp("hf") / "model", golden)


@pytest.fixture(scope="module")
def model(directory):
    return from_pretrained(directory)


def inputs_of(golden):
    inputs = golden["inputs"]
    return {
        "input_ids": inputs["input_ids"],
        "input_mask": inputs["attention_mask"],
    }


def test_hidden_states_and_logits_are_those_of_transformers(model, golden):
    inputs, outputs = inputs_of(golden), golden["outputs"]
    real = inputs["input_mask"].astype(bool)
    states = model.backbone.states_model()(inputs)
    assert len(states) == 4
    for index, state in states.items():
        np.testing.assert_allclose(
            np.asarray(state)[real],
            outputs[f"hidden_states/{index}"][real],
            rtol=1e-5,
            atol=1e-5,
        )
    positions = np.tile(np.arange(12, dtype=np.int32), (3, 1))
    logits = model.pretrainer({**inputs, "masked_lm_positions": positions})
    assert [*logits] == ["mlm_logits"]
    np.testing.assert_allclose(
        np.asarray(logits["mlm_logits"])[real],
        outputs["logits"][real],
        rtol=1e-4,
        atol=1e-4,
    )


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_what_is_written_is_read_back_equal(format, model, golden, tmp_path):
    save_pretrained(model, tmp_path / "new", format=format)
    again = from_pretrained(tmp_path / "new")
    assert again.config == model.config
    assert again.parts == model.parts == {"masked_lm_head"}
    for weight, other in zip(
        again.model.weights, model.model.weights, strict=True
    ):
        assert weight.path == other.path
        np.testing.assert_array_equal(weight.numpy(), other.numpy())


def test_the_arrays_of_transformers_are_written(model, golden, tmp_path):
    save_pretrained(model, tmp_path, format="hf")
    file = SafetensorsFile(tmp_path / "model.safetensors")
    assert {*file.shapes} == {*golden["weights"]} - {_COPY}
    for name in file.shapes:
        np.testing.assert_array_equal(file.read(name), golden["weights"][name])
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["architectures"] == ["DistilBertForMaskedLM"]
    assert config["model_type"] == "distilbert"
    assert config["activation"] == "gelu"
    card = (tmp_path / "README.md").read_text()
    assert "# DistilBERT" in card and "1910.01108" in card


def test_an_encoder_saved_alone_is_read(golden, model, tmp_path):
    prefix = "distilbert."
    weights = {
        name.removeprefix(prefix): array
        for name, array in golden["weights"].items()
        if name.startswith(prefix)
    }
    alone = from_pretrained(write_directory(tmp_path / "a", golden, weights))
    assert alone.parts == frozenset()
    save_pretrained(alone, tmp_path / "hf", format="hf")
    config = json.loads((tmp_path / "hf" / "config.json").read_text())
    assert config["architectures"] == ["DistilBertModel"]
    inputs = inputs_of(golden)
    np.testing.assert_array_equal(
        alone.encoder(inputs)["sequence_output"],
        model.encoder(inputs)["sequence_output"],
    )


def test_a_task_head_is_left_out_and_said(golden, tmp_path, caplog):
    weights = {
        k: v for k, v in golden["weights"].items() if k.startswith("distilbert")
    }
    weights["pre_classifier.weight"] = np.zeros((16, 16), np.float32)
    weights["classifier.bias"] = np.zeros(2, np.float32)
    path = write_directory(tmp_path / "model", golden, weights)
    assert from_pretrained(path).parts == frozenset()
    assert "in the model: classifier.bias, pre_classifier.weight" in caplog.text


def test_an_untied_table_is_an_error(golden, tmp_path):
    weights = {**golden["weights"], _COPY: golden["weights"][_COPY] + 1}
    path = write_directory(tmp_path / "model", golden, weights)
    with pytest.raises(CheckpointError, match="because DistilBERT ties them"):
        from_pretrained(path)


def test_google_has_no_place_for_it(model, tmp_path):
    with pytest.raises(ValueError, match="one that holds DistilBERT.*tf1"):
        save_pretrained(model, tmp_path / "new", format="tf1")
    assert not list((tmp_path / "new").iterdir())


@pytest.mark.exhaustive
def test_masks_are_filled(model):
    fill_mask = keras_bert.FillMask(model, top_k=2)
    fillings = fill_mask("word1 [MASK] word2")
    assert len(fillings) == 1 and len(fillings[0]) == 2
    ids = np.array([[2, 6, 4, 7, 3]], np.int32)
    logits = model.pretrainer(
        {
            "input_ids": ids,
            "input_mask": np.ones_like(ids),
            "masked_lm_positions": np.array([[2]]),
        }
    )["mlm_logits"]
    best = model.tokenizer.vocabulary.tokens[int(np.argmax(logits))]
    assert fillings[0][0]["token"] == best


@pytest.mark.parametrize("pooling", ["mean", "cls", "max"])
def test_texts_are_embedded(pooling, model):
    embedder = keras_bert.TextEmbedder(model, pooling=pooling)
    vectors = embedder.embed(["word1 word2", "word3"])
    assert vectors.shape == (2, 16)
    ids = np.array([[2, 8, 3]], np.int32)
    states = model.encoder({"input_ids": ids, "input_mask": np.ones_like(ids)})
    states = states["sequence_output"].numpy()[0]
    expected = {"mean": states.mean(0), "cls": states[0], "max": states.max(0)}
    np.testing.assert_allclose(vectors[1], expected[pooling], atol=1e-5)


def test_too_few_layers_are_named_in_the_words_of_the_config(model):
    with pytest.raises(ValueError, match="4 layers. Received: n_layers=3"):
        keras_bert.TextEmbedder(model, pooling="last4")


@pytest.mark.exhaustive
def test_a_saved_model_takes_ids_without_segments(model, tmp_path):
    task = keras_bert.FillMask(model, top_k=1)
    keras_bert.export.export_saved_model(task, tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    by_text = loaded.signatures["serving_default"]
    answer = by_text(text=tf.constant(["word1 [MASK]"]))["tokens"]
    expected = task("word1 [MASK]")[0][0]["token"]
    assert answer.numpy()[0, 0, 0].decode() == expected
    _, arguments = loaded.signatures["ids"].structured_input_signature
    assert {*arguments} == {"input_ids", "input_mask"}


@pytest.mark.exhaustive
def test_a_tflite_file_is_written(model, tmp_path):
    encoder = keras_bert.tasks.FeatureExtractor(model)
    keras_bert.export.export_tflite(
        encoder, tmp_path / "model.tflite", "float32", files=["ids"]
    )
    assert (tmp_path / "model_ids.tflite").stat().st_size > 10_000
