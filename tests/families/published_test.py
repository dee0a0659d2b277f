"""Published files of all families, read and written, against transformers."""

import json
import shutil

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.formats.hugging_face_names import encoder_prefix
from keras_bert.checkpoints.formats.hugging_face_names import task_class
from keras_bert.checkpoints.weight_table import head_rows
from keras_bert.checkpoints.weight_table import other_names
from keras_bert.checkpoints.weight_table import tied_arrays
from keras_bert.models.heads import logits_name
from tests.families.golden import FOLDER
from tests.families.golden import MODEL_TYPES
from tests.families.golden import Golden
from tests.families.golden import assert_close
from tests.families.golden import assert_equal_weights
from tests.families.golden import long_row

_OUTPUTS = {
    "mlm_logits": ("logits", "prediction_logits"),
    "nsp_logits": ("seq_relationship_logits",),
}
_FAMILIES = [name for name in MODEL_TYPES if name != "gelu_new"]


def _heads():
    """List golden files with the classes of their heads."""
    for name in MODEL_TYPES:
        with np.load(FOLDER / f"hf_{name}.npz") as arrays:
            groups = dict.fromkeys(key.partition("/")[0] for key in arrays)
        yield from ((name, x) for x in groups if "For" in x)


@pytest.fixture(scope="module")
def make_golden(make_settings_of):
    return lambda name: Golden(name, make_settings_of)


@pytest.fixture(scope="module", params=_FAMILIES)
def golden(request, make_golden):
    return make_golden(request.param)


@pytest.fixture(scope="module")
def model(golden, tmp_path_factory):
    return from_pretrained(
        golden.write(tmp_path_factory.mktemp("hf") / "model")
    )


def test_hidden_states_are_those_of_transformers(model, golden):
    states = model.backbone.states_model()(golden.inputs)
    assert len(states) == model.config.depth + 1
    for index, state in states.items():
        expected = golden.outputs[f"hidden_states/{index}"]
        assert_close(
            np.asarray(state)[golden.real], expected[golden.real], 1e-5
        )
    outputs = model.encoder(golden.inputs)
    if "pooler" in model.family.parts:
        pooled = golden.outputs["pooler_output"]
        assert_close(outputs["pooled_output"], pooled, 1e-5)


def test_logits_are_those_of_transformers(model, golden):
    inputs = {**golden.inputs, "masked_lm_positions": golden.positions}
    logits = model.pretrainer(inputs)
    heads = [logits_name(part) for part in golden.parts if "head" in part]
    assert [*logits] == heads
    for name in heads:
        names = _OUTPUTS.get(name, (name,))
        (expected,) = (golden.outputs[x] for x in names if x in golden.outputs)
        ours = np.asarray(logits[name])
        if expected.shape[:2] == golden.real.shape:
            ours, expected = ours[golden.real], expected[golden.real]
        assert_close(ours, expected, 1e-4)


def test_the_tanh_form_of_bert_is_that_of_transformers(make_golden, tmp_path):
    golden = make_golden("gelu_new")
    model = from_pretrained(golden.write(tmp_path / "hf"))
    states = np.asarray(model.encoder(golden.inputs)["sequence_output"])
    expected = golden.outputs["last_hidden_state"][golden.real]
    assert_close(states[golden.real], expected, 1e-5)


def test_states_of_a_long_text_are_those_of_transformers(make_golden, tmp_path):
    """Longer than the largest distance that MPNet distinguishes."""
    golden = make_golden("mpnet")
    model = from_pretrained(golden.write(tmp_path / "hf"))
    length = model.config.max_seq_length
    states = model.encoder(long_row(length, 4, 31))
    states = np.asarray(states["sequence_output"])[0, ::10]
    assert_close(states, golden.outputs["long"], 1e-5)


@pytest.mark.parametrize("name, task", [*_heads()])
def test_a_fine_tuned_head_is_that_of_transformers(
    name, task, make_golden, tmp_path
):
    golden = make_golden(name)
    part, kind = next(
        (part, kind)
        for part, kind in golden.family.task_heads.items()
        if task_class(golden.family, part) == task
    )
    head = dict(golden.groups[task])
    poolings = {"cls": head.pop("logits")}
    if "mean_logits" in head:
        poolings["mean"] = head.pop("mean_logits")
    prefix = encoder_prefix(golden.model_type)
    arrays = {k: x for k, x in golden.weights.items() if k.startswith(prefix)}
    if kind.reads != "pooled_output":
        arrays = {k: x for k, x in arrays.items() if "pooler" not in k}
    arrays |= head
    assert len(head_rows(golden.model_type, part)) == len(head)
    for pooling, logits in poolings.items():
        changes = {"architectures": [task]}
        if golden.model_type == "modernbert":
            changes["classifier_pooling"] = pooling
        model = from_pretrained(
            golden.write(tmp_path / pooling, arrays, **changes)
        )
        assert model.task.head.part == part
        ours = np.asarray(model.task_model(golden.inputs)["logits"])
        if kind.reads == "sequence_output":
            ours, logits = ours[golden.real], logits[golden.real]
        assert_close(ours.reshape(logits.shape), logits, 1e-4)

        again = tmp_path / f"{pooling} again"
        save_pretrained(model, again, format="hf")
        file = SafetensorsFile(again / "model.safetensors")
        assert {*file.shapes} == {*arrays}
        for name, array in arrays.items():
            np.testing.assert_array_equal(file.read(name), array)
        config = json.loads((again / "config.json").read_text())
        assert changes.items() <= config.items()


def test_what_is_written_is_read_back_equal(golden, model, tmp_path):
    save_pretrained(model, tmp_path / "new")
    again = from_pretrained(tmp_path / "new")
    assert again.config == model.config
    assert again.parts == model.parts == {*golden.parts}
    assert_equal_weights(again, model)


def test_the_arrays_and_the_config_of_transformers_are_written(
    model, golden, tmp_path
):
    save_pretrained(model, tmp_path, format="hf")
    file = SafetensorsFile(tmp_path / "model.safetensors")
    copies = {*tied_arrays(model.family.model_type, "hugging_face")}
    assert {*file.shapes} == {*golden.weights} - copies
    for name in file.shapes:
        np.testing.assert_array_equal(file.read(name), golden.weights[name])
    config = json.loads((tmp_path / "config.json").read_text())
    for key, value in config.items():
        assert golden.config.get(key, value) == value, key
    assert model.family.config.from_transformers(config) == (model.config, [])
    card = (tmp_path / "README.md").read_text()
    assert f"# {model.family.name}" in card and model.family.paper in card


def test_an_encoder_saved_alone_is_read(golden, model, tmp_path):
    prefix = encoder_prefix(golden.model_type)
    weights = {
        name.removeprefix(prefix): array
        for name, array in golden.weights.items()
        if name.startswith(prefix)
    }
    alone = from_pretrained(golden.write(tmp_path / "alone", weights))
    expected = {"pooler"} & {*model.family.parts}
    if golden.model_type == "openai-gpt":  # Its head has no separate weights.
        expected = {"masked_lm_head"}
    assert alone.parts == expected
    np.testing.assert_array_equal(
        alone.encoder(golden.inputs)["sequence_output"],
        model.encoder(golden.inputs)["sequence_output"],
    )


def test_an_untied_copy_is_an_error(golden, tmp_path):
    copies = tied_arrays(golden.model_type, "hugging_face")
    assert copies
    for number, copy in enumerate(copies):
        wrong = golden.weights[copies[copy]] + 1
        weights = {**golden.weights, copy: wrong}
        path = golden.write(tmp_path / str(number), weights)
        with pytest.raises(CheckpointError, match=f"{copy} must be equal"):
            from_pretrained(path)


def test_a_tied_array_may_be_there_under_one_name_only(golden, model, tmp_path):
    weights, model_type = dict(golden.weights), golden.model_type
    others = {y: x for x, y in other_names(model_type, "hugging_face").items()}
    for copy, name in tied_arrays(model_type, "hugging_face").items():
        array = weights.pop(others.get(name, name), weights.get(name))
        weights[copy] = weights.pop(name, array)
    found = from_pretrained(golden.write(tmp_path / "tied", weights))
    assert_equal_weights(found, model)


# Their arrays have BERT's names under another prefix.
@pytest.mark.parametrize("golden", ["electra", "roberta"], indirect=True)
def test_weights_under_the_config_of_bert_are_an_error(
    golden, make_settings, tmp_path
):
    path = tmp_path / "bert"
    path.mkdir()
    file = golden.write(tmp_path / "model") / "model.safetensors"
    shutil.move(file, path)
    config = {"model_type": "bert", "vocab_size": 40, "hidden_size": 16}
    sizes = {"num_hidden_layers": 2, "num_attention_heads": 4}
    (path / "config.json").write_text(json.dumps({**config, **sizes}))
    make_settings("wordpiece").write(path)
    with pytest.raises(CheckpointError, match="Missing: .*Unexpected: "):
        from_pretrained(path)
