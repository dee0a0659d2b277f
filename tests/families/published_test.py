"""Published files of all families, read and written, against transformers."""

import json
import re
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

_QUERY = re.compile(
    r"(query(_proj)?|attn\.q|in_proj|q_lin|Wqkv|c_attn)\.weight|rel_attn\.q$"
)
_OUTPUTS = {
    "mlm_logits": ("logits", "prediction_logits"),
    "nsp_logits": ("seq_relationship_logits",),
}
# Keys of transformers that the library does not write.
_NOT_WRITTEN = {
    *("add_cross_attention", "classifier_dropout", "is_decoder", "use_cache"),
    *("bos_token_id", "cls_token_id", "eos_token_id", "sep_token_id"),
    *("summary_activation", "summary_last_dropout", "summary_type"),
    *("summary_use_proj", "pooler_hidden_size", "tie_word_embeddings"),
    *("attention_bias", "classifier_activation", "classifier_bias"),
    *("decoder_bias", "mlp_bias", "norm_bias", "initializer_cutoff_factor"),
    *("deterministic_flash_attn", "transformers_version"),
    *("sparse_prediction", "sparse_pred_ignore_index", "qa_dropout"),
    *("seq_classif_dropout", "summary_proj_to_labels", "pad_token_id"),
    *("onnx_export", "summary_first_dropout", "rescale_embeddings"),
    *("attn_type", "bi_data", "clamp_len", "d_head", "end_n_top", "mem_len"),
    *("reuse_len", "same_length", "start_n_top", "use_mems_eval"),
    *("untie_r", "use_mems_train"),
    "use_bias",
}


_FAMILIES = [name for name in MODEL_TYPES if name != "gelu_new"]
# BigBird's arrays use BERT's names.
_NOT_BERT = [name for name in _FAMILIES if name not in ("gelu", "big_bird")]


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


def test_both_gelus_of_bert_are_those_of_transformers(make_golden, tmp_path):
    golden, tanh = make_golden("gelu"), make_golden("gelu_new")
    model = from_pretrained(tanh.write(tmp_path / "hf"))
    states = np.asarray(model.encoder(tanh.inputs)["sequence_output"])
    states = states[tanh.real]
    expected = tanh.outputs["last_hidden_state"][tanh.real]
    other = golden.outputs["last_hidden_state"][golden.real]
    assert_close(states, expected, 1e-5)
    assert np.abs(states - other).max() > 5e-4


def test_states_of_a_long_text_are_those_of_transformers(make_golden, tmp_path):
    """Longer than the largest distance that MPNet distinguishes."""
    golden = make_golden("mpnet")
    model = from_pretrained(golden.write(tmp_path / "hf"))
    length = model.config.max_seq_length
    ids = (4 + np.arange(length) ** 2 % 31)[np.newaxis].astype("int32")
    states = model.encoder({"input_ids": ids, "input_mask": np.ones_like(ids)})
    states = np.asarray(states["sequence_output"])[0, ::10]
    assert_close(states, golden.outputs["long"], 1e-5)


@pytest.mark.parametrize("golden", ["electra"], indirect=True)
@pytest.mark.parametrize(
    "architecture, part, words",
    [
        ("ElectraForPreTraining", "replaced_token_head", "generator_"),
        ("ElectraForMaskedLM", "masked_lm_head", "discriminator_"),
    ],
)
def test_a_head_alone_is_read_and_written_as_its_class(
    architecture, part, words, golden, tmp_path
):
    items = golden.weights.items()
    weights = {name: x for name, x in items if not name.startswith(words)}
    model = from_pretrained(golden.write(tmp_path / "hf", weights))
    assert model.parts == {part}
    save_pretrained(model, tmp_path / "again", format="hf")
    file = SafetensorsFile(tmp_path / "again" / "model.safetensors")
    copies = {*tied_arrays(model.family.model_type, "hugging_face")}
    assert {*file.shapes} == {*weights} - copies
    config = json.loads((tmp_path / "again" / "config.json").read_text())
    assert config["architectures"] == [architecture]


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
        found = from_pretrained(again).task_model(golden.inputs)["logits"]
        expected = model.task_model(golden.inputs)["logits"]
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_what_is_written_is_read_back_equal(format, golden, model, tmp_path):
    save_pretrained(model, tmp_path / "new", format=format)
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
    assert {*golden.config} - {*config} <= _NOT_WRITTEN
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


def test_what_is_missing_or_misshaped_is_named(golden, tmp_path):
    name = next(name for name in golden.weights if _QUERY.search(name))
    left = {k: x for k, x in golden.weights.items() if k != name}
    with pytest.raises(CheckpointError, match=f"Missing: 1, {name}"):
        from_pretrained(golden.write(tmp_path / "missing", left))
    wrong = {**golden.weights, name: np.zeros((16, 8), np.float32)}
    with pytest.raises(CheckpointError, match=f"shape: 1, {name}.*16, 8"):
        from_pretrained(golden.write(tmp_path / "misshaped", wrong))
    more = {**golden.weights, "surprise": np.zeros(1, np.float32)}
    path = golden.write(tmp_path / "unexpected", more)
    with pytest.raises(CheckpointError, match="Unexpected: 1, surprise"):
        from_pretrained(path, strict=True)


def test_a_tied_array_may_be_there_under_one_name_only(golden, model, tmp_path):
    weights, model_type = dict(golden.weights), golden.model_type
    others = {y: x for x, y in other_names(model_type, "hugging_face").items()}
    for copy, name in tied_arrays(model_type, "hugging_face").items():
        array = weights.pop(others.get(name, name), weights.get(name))
        weights[copy] = weights.pop(name, array)
    found = from_pretrained(golden.write(tmp_path / "tied", weights))
    assert_equal_weights(found, model)


@pytest.mark.parametrize("golden", _NOT_BERT, indirect=True)
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
