import dataclasses
import json
import pathlib
import shutil

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.artifacts import manifest_beside
from keras_bert.artifacts import write_manifest
from keras_bert.checkpoints import CheckpointError
from keras_bert.text.wordpiece.vocabulary import Vocabulary

_GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def google_arrays(arrays):
    """The same weights as google-research/bert names and lays them."""
    renamed = {}
    for name, array in arrays.items():
        if not name.startswith("weights/"):
            continue
        name = name.removeprefix("weights/")
        if "decoder" in name or "position_ids" in name:
            continue
        dense = name.endswith(("dense.weight", "query.weight"))
        dense |= name.endswith(("key.weight", "value.weight"))
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        name = name.replace("LayerNorm.bias", "LayerNorm.beta")
        name = name.replace(
            "cls.predictions.bias", "cls.predictions.output_bias"
        )
        name = name.replace(
            "relationship.weight", "relationship.output_weights"
        )
        name = name.replace("relationship.bias", "relationship.output_bias")
        name = name.replace("layer.", "layer_")
        name = name.replace("embeddings.weight", "embeddings")
        if dense:
            name, array = name.replace("weight", "kernel"), array.T
        renamed[name.replace(".", "/")] = array
    return renamed


def write_google(directory, arrays, **config):
    golden = json.loads(str(arrays["config"]))
    values = {
        key: golden[key]
        for key in (
            "attention_probs_dropout_prob",
            "hidden_dropout_prob",
            "hidden_size",
            "initializer_range",
            "intermediate_size",
            "max_position_embeddings",
            "num_attention_heads",
            "num_hidden_layers",
            "type_vocab_size",
            "vocab_size",
        )
    }
    values = {**values, "hidden_act": "gelu", **config}
    (directory / "bert_config.json").write_text(json.dumps(values))
    tokens = [*_SPECIAL, *(f"word{index}" for index in range(35))]
    (directory / "vocab.txt").write_text("\n".join(tokens) + "\n")


@pytest.fixture(scope="module")
def tanh():
    with np.load(_GOLDEN / "hf_gelu_new.npz") as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def tf1_directory(tanh, save_with_tf1, tmp_path_factory):
    directory = tmp_path_factory.mktemp("tf1")
    write_google(directory, tanh)
    save_with_tf1(directory / "bert_model.ckpt", google_arrays(tanh))
    return directory


def assert_golden(bert, arrays):
    inputs = {
        "input_ids": arrays["inputs/input_ids"],
        "input_mask": arrays["inputs/attention_mask"],
        "segment_ids": arrays["inputs/token_type_ids"],
    }
    encoded = bert.encoder(inputs)
    heads = bert.pretrainer(
        {**inputs, "masked_lm_positions": arrays["inputs/masked_lm_positions"]}
    )
    for value, name in (
        (encoded["sequence_output"], "last_hidden_state"),
        (encoded["pooled_output"], "pooler_output"),
        (heads["nsp_logits"], "seq_relationship_logits"),
        (heads["mlm_logits"], "prediction_logits"),
    ):
        expected = arrays[f"outputs/{name}"]
        np.testing.assert_allclose(value, expected, 1e-5, 1e-5, name)


def test_outputs_are_the_golden_ones_and_gelu_the_tanh_form(
    tf1_directory, tanh
):
    bert = from_pretrained(tf1_directory, lowercase=True)
    assert bert.config.hidden_act == "gelu_tanh"
    assert_golden(bert, tanh)


def test_a_round_trip_is_equal_and_unambiguous(tf1_directory, tmp_path):
    bert = from_pretrained(tf1_directory, lowercase=True)
    save_pretrained(bert, tmp_path / "tf1", format="tf1")
    saved = json.loads((tmp_path / "tf1" / "bert_config.json").read_text())
    assert saved["hidden_act"] == "gelu"
    assert "layer_norm_eps" not in saved
    reloaded = from_pretrained(tmp_path / "tf1")
    assert reloaded.config == bert.config
    assert reloaded.tokenizer.lowercase == bert.tokenizer.lowercase
    for weight, expected in zip(
        reloaded.model.weights, bert.model.weights, strict=True
    ):
        np.testing.assert_array_equal(weight.numpy(), expected.numpy())


def test_what_is_written_has_the_published_names(tf1_directory, tmp_path, tanh):
    save_pretrained(
        from_pretrained(tf1_directory, lowercase=True), tmp_path, format="tf1"
    )
    reader = tf.train.load_checkpoint(str(tmp_path / "bert_model.ckpt"))
    expected = google_arrays(tanh)
    assert {*reader.get_variable_to_shape_map()} == {*expected}
    for name, array in expected.items():
        np.testing.assert_array_equal(reader.get_tensor(name), array, name)


def test_a_session_of_tf1_restores_what_is_written(
    tf1_directory, tmp_path, tanh
):
    save_pretrained(
        from_pretrained(tf1_directory, lowercase=True), tmp_path, format="tf1"
    )
    name = "bert/encoder/layer_1/attention/self/value/kernel"
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        variable = tf.compat.v1.get_variable(name, (8, 8))
        saver = tf.compat.v1.train.Saver([variable])
        saver.restore(session, str(tmp_path / "bert_model.ckpt"))
        np.testing.assert_array_equal(
            session.run(variable), google_arrays(tanh)[name]
        )


def test_the_erf_form_survives_a_round_trip(tf1_directory, tmp_path):
    bert = from_pretrained(tf1_directory, lowercase=True)
    bert.config = dataclasses.replace(bert.config, hidden_act="gelu_erf")
    save_pretrained(bert, tmp_path, format="tf1")
    assert from_pretrained(tmp_path).config.hidden_act == "gelu_erf"


def test_another_epsilon_is_not_written(tf1_directory, tmp_path):
    bert = from_pretrained(tf1_directory, lowercase=True)
    bert.config = dataclasses.replace(bert.config, layer_norm_eps=1e-5)
    with pytest.raises(ValueError, match="layer_norm_eps=1e-05"):
        save_pretrained(bert, tmp_path / "new", format="tf1")
    assert not list((tmp_path / "new").iterdir())


def test_two_checkpoints_in_a_directory_are_an_error(tmp_path, tanh):
    write_google(tmp_path, tanh)
    for name in ("model.ckpt-1", "model.ckpt-2"):
        (tmp_path / f"{name}.index").write_bytes(b"")
    with pytest.raises(CheckpointError, match="model.ckpt-1, model.ckpt-2"):
        from_pretrained(tmp_path)


@pytest.fixture(scope="module")
def garden():
    with np.load(_GOLDEN / "model_garden" / "outputs.npz") as arrays:
        return dict(arrays)


def garden_inputs(arrays):
    names = {"input_word_ids": "input_ids", "input_type_ids": "segment_ids"}
    return {
        names.get(name.partition("/")[2], name.partition("/")[2]): value
        for name, value in arrays.items()
        if name.startswith("inputs/")
    }


def assert_near(value, expected, name):
    # The golden outputs are in float32 themselves.
    np.testing.assert_allclose(value, expected, 1e-5, 2e-5, name)


@pytest.mark.parametrize("name", ["encoder", "encoder_v2"])
def test_model_garden_encoders_give_the_golden_outputs(name, garden):
    bert = from_pretrained(_GOLDEN / "model_garden" / name, lowercase=True)
    assert bert.parts == {"pooler"}
    inputs = garden_inputs(garden)
    del inputs["masked_lm_positions"]
    for output, value in bert.encoder(inputs).items():
        assert_near(value, garden[f"outputs/{output}"], output)


def test_model_garden_pretrainer_gives_the_golden_outputs(garden):
    bert = from_pretrained(
        _GOLDEN / "model_garden" / "pretrainer", lowercase=True
    )
    inputs = garden_inputs(garden)
    heads = bert.pretrainer(inputs)
    assert_near(heads["mlm_logits"], garden["outputs/mlm_logits"], "mlm")
    assert_near(heads["nsp_logits"], garden["outputs/next_sentence"], "nsp")
    del inputs["masked_lm_positions"]
    encoded = bert.encoder(inputs)
    for output, name in (
        ("sequence_output", "sequence_output"),
        ("pooled_output", "next_sentence_pooled_output"),
    ):
        assert_near(encoded[output], garden[f"outputs/{name}"], name)


def test_a_directory_that_does_not_tell_the_casing_asks_for_it(tf1_directory):
    with pytest.raises(CheckpointError, match="No file says.*lowercase=True"):
        from_pretrained(tf1_directory)
    for lowercase in (True, False):
        bert = from_pretrained(tf1_directory, lowercase=lowercase)
        assert bert.tokenizer.lowercase is lowercase


def test_a_published_vocabulary_tells_the_casing(
    tf1_directory, monkeypatch, caplog
):
    vocabulary = Vocabulary.from_file(tf1_directory / "vocab.txt")
    for lowercase in (True, False):
        monkeypatch.setattr(
            "keras_bert.text.casing._PUBLISHED",
            {vocabulary.sha256: ("the Chinese models", lowercase)},
        )
        with caplog.at_level("INFO"):
            bert = from_pretrained(tf1_directory)
        assert bert.tokenizer.lowercase is lowercase
        assert "that of the Chinese models" in caplog.text


def test_the_casing_of_a_manifest_beside_the_vocabulary_is_taken(
    tf1_directory, tmp_path
):
    directory = tmp_path / "tf1"
    shutil.copytree(tf1_directory, directory)
    vocabulary = directory / "vocab.txt"
    write_manifest(
        manifest_beside(vocabulary),
        {"vocab.txt": vocabulary},
        {"do_lower_case": False},
    )
    assert not from_pretrained(directory).tokenizer.lowercase
    with pytest.raises(CheckpointError, match="says false, lowercase= says tr"):
        from_pretrained(directory, lowercase=True)
