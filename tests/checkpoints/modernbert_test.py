"""ModernBERT against transformers' own numbers, and back into its files."""

import json
import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.export.served_ops import check_ops

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "hf_modernbert.npz"
_COPY = "decoder.weight"
_CLASSIFIER = "ModernBertForSequenceClassification"
_CHOICES = "ModernBertForMultipleChoice"
_PARTS = {
    "ModernBertForTokenClassification": "token_classifier",
    "ModernBertForQuestionAnswering": "span_classifier",
    _CLASSIFIER: "classifier",
    _CHOICES: "choice_scorer",
}


@pytest.fixture(scope="module")
def golden():
    """What `make_modernbert_golden.py` has written, in groups."""
    groups = {}
    with np.load(_GOLDEN) as arrays:
        for key in arrays:
            group, _, name = key.partition("/")
            groups.setdefault(group, {})[name] = arrays[key]
    groups["config"] = json.loads(str(groups["config"][""]))
    return groups


@pytest.fixture(scope="module")
def write(golden, make_settings):
    """A function that writes a directory as transformers does."""
    settings = make_settings("byte_bpe")

    def write_directory(directory, weights, config=None, **changes):
        directory.mkdir()
        values = {**(config or golden["config"]), **changes}
        (directory / "config.json").write_text(json.dumps(values))
        settings.save(directory)
        write_safetensors(
            directory / "model.safetensors",
            [(name, x.shape, lambda x=x: x) for name, x in weights.items()],
        )
        return directory

    return write_directory


@pytest.fixture(scope="module")
def model(golden, write, tmp_path_factory):
    path = tmp_path_factory.mktemp("hf") / "model"
    return from_pretrained(write(path, golden["weights"]))


def inputs_of(golden):
    inputs = golden["inputs"]
    return {
        "input_ids": inputs["input_ids"],
        "input_mask": inputs["attention_mask"],
    }


def padded_left(inputs):
    """The same rows with their padding before their tokens."""
    lengths = inputs["input_mask"].sum(axis=1)
    return {
        name: np.stack([np.roll(x, -n) for x, n in zip(values, lengths)])
        for name, values in inputs.items()
    }


def encoder_arrays(golden):
    weights = golden["weights"].items()
    return {name: x for name, x in weights if name.startswith("model.")}


def assert_close(ours, expected, tolerance):
    np.testing.assert_allclose(
        np.asarray(ours), expected, rtol=tolerance, atol=tolerance
    )


@pytest.mark.parametrize("pad", [dict, padded_left])
def test_hidden_states_are_those_of_transformers(model, golden, pad):
    """At lengths around the window and its half, padded on either side."""
    inputs = inputs_of(golden)
    real = inputs["input_mask"].astype(bool)
    assert [*real.sum(axis=1)] == [5, 64, 65, 66, 128, 129, 130, 200]
    given = pad(inputs)
    states = model.backbone.states_model()(given)
    assert len(states) == 5
    for index, state in states.items():
        ours = np.asarray(state)[given["input_mask"].astype(bool)]
        expected = golden["outputs"][f"hidden_states/{index}"][real]
        assert np.abs(expected).max() > 1.0
        assert_close(ours, expected, 1e-5)


def test_logits_are_those_of_transformers(model, golden):
    positions = golden["inputs"]["masked_lm_positions"]
    inputs = {**inputs_of(golden), "masked_lm_positions": positions}
    logits = model.pretrainer(inputs)["mlm_logits"]
    assert_close(logits, golden["outputs"]["logits"], 1e-4)


def test_bfloat16_is_as_close_as_that_of_transformers(golden, write, tmp_path):
    """Ours to float32 within three times theirs, in the mean and at most."""
    directory = write(tmp_path / "hf", golden["weights"])
    keras.config.set_dtype_policy("mixed_bfloat16")
    model = from_pretrained(directory)
    positions = golden["inputs"]["masked_lm_positions"]
    inputs = {**inputs_of(golden), "masked_lm_positions": positions}
    real = inputs["input_mask"].astype(bool)
    states = model.backbone.states_model()(inputs_of(golden))["4"]
    outputs, theirs = golden["outputs"], golden["bfloat16"]
    for ours, rough, exact in (
        (
            np.asarray(keras.ops.cast(states, "float32"))[real],
            theirs["last_state"][real],
            outputs["hidden_states/4"][real],
        ),
        (
            np.asarray(model.pretrainer(inputs)["mlm_logits"]),
            theirs["logits"],
            outputs["logits"],
        ),
    ):
        lost, their_loss = np.abs(ours - exact), np.abs(rough - exact)
        assert 0 < lost.mean() <= 3 * their_loss.mean()
        assert lost.max() <= 3 * their_loss.max()


@pytest.mark.parametrize(
    "task, pooling",
    [
        *((task, "cls") for task in _PARTS),
        (_CLASSIFIER, "mean"),
        (_CHOICES, "mean"),
    ],
)
def test_a_fine_tuned_head_is_that_of_transformers(
    task, pooling, golden, write, tmp_path
):
    head = dict(golden[task])
    logits = {"cls": head.pop("logits"), "mean": head.pop("mean_logits", None)}
    arrays = {**encoder_arrays(golden), **head}
    changes = {"architectures": [task], "classifier_pooling": pooling}
    model = from_pretrained(write(tmp_path / "hf", arrays, **changes))
    assert model.task.head.part == _PARTS[task]
    assert not model.parts
    inputs = inputs_of(golden)
    ours = np.asarray(model.task_model(inputs)["logits"])
    expected = logits[pooling]
    if ours.ndim == 3:
        ours = ours * inputs["input_mask"][:, :, None]
    assert_close(ours.reshape(expected.shape), expected, 1e-4)

    save_pretrained(model, tmp_path / "again", format="hf")
    file = SafetensorsFile(tmp_path / "again" / "model.safetensors")
    assert {*file.shapes} == {*arrays}
    for name, array in arrays.items():
        np.testing.assert_array_equal(file.read(name), array)
    config = json.loads((tmp_path / "again" / "config.json").read_text())
    assert changes.items() <= config.items()
    again = from_pretrained(tmp_path / "again")
    np.testing.assert_array_equal(
        again.task_model(inputs)["logits"], model.task_model(inputs)["logits"]
    )


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_what_is_written_is_read_back_equal(format, model, tmp_path):
    save_pretrained(model, tmp_path / "new", format=format)
    again = from_pretrained(tmp_path / "new")
    assert again.config == model.config
    assert again.parts == model.parts == {"masked_lm_head"}
    assert [*again.weights] == [*model.weights]
    for path, weight in model.weights.items():
        np.testing.assert_array_equal(again.weights[path], weight)


def test_the_arrays_and_the_config_of_transformers_are_written(
    model, golden, tmp_path
):
    save_pretrained(model, tmp_path, format="hf")
    file = SafetensorsFile(tmp_path / "model.safetensors")
    assert {*file.shapes} == {*golden["weights"]} - {_COPY}
    for name in file.shapes:
        np.testing.assert_array_equal(file.read(name), golden["weights"][name])
    config = json.loads((tmp_path / "config.json").read_text())
    assert config.items() <= golden["config"].items()
    assert {*golden["config"]} - {*config} <= {
        *("attention_bias", "classifier_activation", "classifier_bias"),
        *("decoder_bias", "mlp_bias"),
        *("norm_bias", "initializer_cutoff_factor", "tie_word_embeddings"),
        *("bos_token_id", "cls_token_id", "eos_token_id", "sep_token_id"),
        *("deterministic_flash_attn", "transformers_version"),
        *("sparse_prediction", "sparse_pred_ignore_index"),
    }


def test_an_encoder_saved_alone_is_read(golden, model, write, tmp_path):
    arrays = encoder_arrays(golden).items()
    alone = {name.removeprefix("model."): x for name, x in arrays}
    read = from_pretrained(write(tmp_path / "alone", alone))
    assert not read.parts
    inputs = inputs_of(golden)
    np.testing.assert_array_equal(
        read.encoder(inputs)["sequence_output"],
        model.encoder(inputs)["sequence_output"],
    )


def test_what_does_not_fit_is_named(golden, write, tmp_path):
    weights = golden["weights"]
    untied = {**weights, _COPY: weights[_COPY] + 1}
    with pytest.raises(CheckpointError, match=f"{_COPY} must be the same"):
        from_pretrained(write(tmp_path / "untied", untied))
    name = "model.layers.3.attn_norm.weight"
    left = {k: x for k, x in weights.items() if k != name}
    with pytest.raises(CheckpointError, match=f"Missing: 1, {name}"):
        from_pretrained(write(tmp_path / "missing", left))


def test_a_server_runs_its_operations(model):
    inputs = {
        name: tf.TensorSpec((None, None), "int32")
        for name in model.encoder.input
    }
    function = tf.function(model.encoder).get_concrete_function(inputs)
    check_ops(function.graph.as_graph_def(), "byte_bpe")
