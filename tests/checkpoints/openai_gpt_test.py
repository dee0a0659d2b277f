"""GPT-1 against transformers' own numbers, and back into its files."""

import json
import pathlib

import numpy as np
import pytest

import keras_bert
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "hf_openai_gpt.npz"


@pytest.fixture(scope="module")
def golden():
    with np.load(_GOLDEN) as arrays:
        return dict(arrays)


@pytest.fixture(scope="module")
def weights(golden):
    name = "weights/"
    return {k.removeprefix(name): x for k, x in golden.items() if name in k}


@pytest.fixture(scope="module")
def write(golden, weights, make_settings, tmp_path_factory):
    """Writes a directory as transformers does, with some changes."""

    def write(change=lambda arrays: arrays):
        directory = tmp_path_factory.mktemp("hf")
        (directory / "config.json").write_text(str(golden["config"]))
        make_settings("bpe").save(directory)
        arrays = change(dict(weights)).items()
        write_safetensors(
            directory / "model.safetensors",
            [(name, x.shape, lambda x=x: x) for name, x in arrays],
        )
        return directory

    return write


@pytest.fixture(scope="module")
def model(write):
    return from_pretrained(write())


@pytest.fixture(scope="module")
def inputs(golden):
    mask = golden["inputs/attention_mask"]
    return {"input_ids": golden["inputs/input_ids"], "input_mask": mask}


def assert_close(ours, expected, real, tolerance):
    np.testing.assert_allclose(
        np.asarray(ours)[real], expected[real], rtol=tolerance, atol=tolerance
    )


def test_hidden_states_and_logits_are_those_of_transformers(
    model, golden, inputs
):
    real = inputs["input_mask"].astype(bool)
    states = model.backbone.states_model()(inputs)
    assert len(states) == 4
    for index, state in states.items():
        expected = golden[f"outputs/hidden_states/{index}"]
        assert_close(state, expected, real, 1e-5)
    positions = np.tile(np.arange(real.shape[1], dtype="int32"), (3, 1))
    logits = model.pretrainer({**inputs, "masked_lm_positions": positions})
    assert [*logits] == ["mlm_logits"]
    assert_close(logits["mlm_logits"], golden["outputs/logits"], real, 1e-4)


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_what_is_written_is_read_back_equal(format, model, weights, tmp_path):
    save_pretrained(model, tmp_path / "new", format=format)
    again = from_pretrained(tmp_path / "new")
    assert again.config == model.config
    assert again.parts == model.parts == {"masked_lm_head"}
    assert [*again.weights] == [*model.weights]
    for path, weight in model.weights.items():
        np.testing.assert_array_equal(again.weights[path], weight)
    assert again.tokenizer_settings.kind == "bpe"


def test_the_arrays_and_the_config_of_transformers_are_written(
    model, golden, weights, tmp_path
):
    save_pretrained(model, tmp_path, format="hf")
    file = SafetensorsFile(tmp_path / "model.safetensors")
    assert {*file.shapes} == {*weights} - {"lm_head.weight"}
    for name in file.shapes:
        np.testing.assert_array_equal(file.read(name), weights[name])
    config = json.loads((tmp_path / "config.json").read_text())
    expected = json.loads(str(golden["config"]))
    for key, value in config.items():
        assert expected.get(key, value) == value, key
    assert "pad_token_id" not in config


def test_a_model_of_before_is_read(write, model):
    """Without a prefix, with the triangles that masked its scores."""

    def change(arrays):
        named = {k.removeprefix("transformer."): x for k, x in arrays.items()}
        triangle = np.tril(np.ones((1, 1, 20, 20), np.float32))
        more = {f"h.{number}.attn.bias": triangle for number in range(3)}
        return {**named, **more}

    again = from_pretrained(write(change))
    for path, weight in model.weights.items():
        np.testing.assert_array_equal(again.weights[path], weight)


def test_what_does_not_fit_is_named(write):
    def untie(arrays):
        return {**arrays, "lm_head.weight": arrays["lm_head.weight"] + 1}

    def drop(arrays):
        del arrays["transformer.h.1.attn.c_attn.bias"]
        return arrays

    with pytest.raises(CheckpointError, match="lm_head.weight must be the sa"):
        from_pretrained(write(untie))
    with pytest.raises(CheckpointError, match="Missing: 1, .*h.1.attn.c_attn"):
        from_pretrained(write(drop))


def test_a_task_has_no_place_in_files_of_transformers(model, tmp_path):
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    classifier.save(tmp_path / "own")
    again = keras_bert.TextClassifier.from_pretrained(tmp_path / "own")
    texts = ["word1 word2 word3", "word4"]
    np.testing.assert_array_equal(
        again.logits(again.encode(texts)),
        classifier.logits(classifier.encode(texts)),
    )
    with pytest.raises(ValueError, match="that holds GPT-1 with a classifier"):
        save_pretrained(again.pretrained, tmp_path / "hf", format="hf")


def test_a_chooser_is_a_model_with_two_heads(model, tmp_path):
    chooser = keras_bert.MultipleChoice(model)
    save_pretrained(chooser.pretrained, tmp_path, format="hf")
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["architectures"] == ["OpenAIGPTDoubleHeadsModel"]
    shapes = SafetensorsFile(tmp_path / "model.safetensors").shapes
    assert shapes["multiple_choice_head.summary.weight"] == (1, 16)
    assert shapes["transformer.tokens_embed.weight"] == (43, 16)
    for name in ("task.json", "manifest.json"):  # Transformers writes none.
        (tmp_path / name).unlink()
    again = keras_bert.MultipleChoice.from_pretrained(tmp_path)
    assert not again.starts_random
    questions = [("word1", ["word2 word3", "word4"])]
    np.testing.assert_array_equal(
        again.probabilities(questions), chooser.probabilities(questions)
    )


def test_labels_of_transformers_are_refused(write):
    directory = write()
    path = directory / "config.json"
    values = json.loads(path.read_text())
    values["architectures"] = ["OpenAIGPTForSequenceClassification"]
    path.write_text(json.dumps(values))
    with pytest.raises(ValueError, match="that holds GPT-1 with a classifier"):
        from_pretrained(directory)


def test_what_needs_a_missing_token_says_so(model):
    with pytest.raises(ValueError, match="plays the role 'mask'.*unknown"):
        keras_bert.FillMask(model)


def test_the_tokenizer_must_fit(model, make_settings):
    settings = make_settings("byte_bpe")
    with pytest.raises(ValueError, match="vocab_size=40, 275 tokens"):
        PretrainedModel.from_config(model.config, settings)
