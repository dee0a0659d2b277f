import json
import pathlib
import shutil

import numpy as np
import pytest

import keras_bert
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors

_GOLDEN = pathlib.Path(__file__).parents[2] / "golden"
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def golden(name):
    with np.load(_GOLDEN / f"{name}.npz") as arrays:
        return dict(arrays)


def group(arrays, start):
    return {
        name.removeprefix(start): value
        for name, value in arrays.items()
        if name.startswith(start)
    }


def write_arrays(path, arrays):
    write_safetensors(
        path,
        [
            (name, array.shape, lambda array=array: array)
            for name, array in arrays.items()
        ],
    )


@pytest.fixture
def directory(tmp_path):
    """A function that writes a directory as `transformers` does."""

    def write(arrays, config, vocabulary=35 * ["word"], settings=None):
        tokens = [*_SPECIAL, *(f"{w}{i}" for i, w in enumerate(vocabulary))]
        (tmp_path / "config.json").write_text(json.dumps(config))
        (tmp_path / "vocab.txt").write_text("\n".join(tokens) + "\n")
        settings = {"do_lower_case": True} if settings is None else settings
        (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings))
        write_arrays(tmp_path / "model.safetensors", arrays)
        return tmp_path

    return write


@pytest.fixture
def weights():
    """The arrays of a model with the erf GELU."""
    return group(golden("hf_gelu"), "weights/")


@pytest.fixture
def config():
    return json.loads(str(golden("hf_gelu")["config"]))


def rename(weights, change):
    return {change(name): array for name, array in weights.items()}


@pytest.mark.parametrize(
    "change",
    [
        lambda name: name.removeprefix("bert."),
        lambda name: f"module.{name}",
        lambda name: f"0.auto_model.{name.removeprefix('bert.')}",
        lambda name: f"_orig_mod.{name}",
        lambda name: f"model.{name}",
        lambda name: f"base_model.model.{name}",
        lambda name: name if name[:3] == "cls" else f"bert.{name}",
        lambda name: name.replace("predictions.b", "predictions.decoder.b"),
        lambda name: name.replace(
            "LayerNorm.weight", "LayerNorm.gamma"
        ).replace("LayerNorm.bias", "LayerNorm.beta"),
    ],
    ids=["without prefix", "module", "sentence-transformers", "compile"]
    + ["model", "peft", "twice", "bias of the decoder", "gamma and beta"],
)
def test_other_names_of_the_same_arrays_are_read(
    change, weights, config, directory
):
    expected = from_pretrained(directory(weights, config)).model.weights
    expected = [weight.numpy() for weight in expected]
    bert = from_pretrained(directory(rename(weights, change), config))
    for weight, value in zip(bert.model.weights, expected, strict=True):
        np.testing.assert_array_equal(weight.numpy(), value)


def test_arrays_of_two_models_are_an_error(weights, config, directory):
    both = {f"{x}.{k}": v for k, v in weights.items() for x in ("doc", "query")}
    with pytest.raises(CheckpointError, match="prefixes doc., query.. Save"):
        from_pretrained(directory(both, config))


def test_arrays_of_another_family_are_an_error(weights, config, directory):
    other = rename(weights, lambda name: name.replace("bert.", "roberta."))
    with pytest.raises(CheckpointError, match="Unexpected.*roberta.embeddings"):
        from_pretrained(directory(other, config))


def test_what_is_not_read_is_a_warning_that_names_it(
    weights, config, directory, caplog
):
    plain = from_pretrained(directory(weights, config))
    assert not caplog.records
    config |= {"my_key": 1, "other_key": 2}
    weights["surprise"] = np.zeros(2, np.float32)
    path = directory(weights, config)
    assert from_pretrained(path).config == plain.config
    keys, arrays = (record.getMessage() for record in caplog.records)
    assert "unknown keys: my_key, other_key." in keys
    assert arrays.endswith("1 arrays without a place in the model: surprise.")
    with pytest.raises(CheckpointError, match="unknown keys: my_key"):
        from_pretrained(path, strict=True)
    del config["my_key"], config["other_key"]
    path = directory(weights, config)
    with pytest.raises(CheckpointError, match="Unexpected: 1, surprise"):
        from_pretrained(path, strict=True)
    with pytest.raises(ValueError, match="`strict` must be True or False"):
        from_pretrained(path, strict="yes")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_named(
    value, weights, config, directory, caplog
):
    weights["bert.encoder.layer.1.output.dense.weight"][3, 5] = value
    from_pretrained(directory(weights, config))
    (record,) = caplog.records
    assert record.getMessage().endswith(
        "NaN or infinity: block_1/feed_forward/feed_forward_output/kernel."
    )


def test_an_adapter_that_is_not_merged_is_an_error(weights, config, directory):
    path = directory(weights, config)
    (path / "adapter_config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="merge_and_unload"):
        from_pretrained(path)
    (path / "adapter_config.json").unlink()
    name = "bert.encoder.layer.0.attention.self.query.lora_A.default.weight"
    weights[name] = np.zeros((2, 8), np.float32)
    with pytest.raises(CheckpointError, match="merge_and_unload"):
        from_pretrained(directory(weights, config))


def test_copies_and_buffers_are_no_surprise(weights, config, directory):
    weights["bert.embeddings.position_ids"] = np.arange(16, dtype=np.float32)
    weights["cls.predictions.decoder.bias"] = weights["cls.predictions.bias"]
    weights["cls.predictions.decoder.weight"] = weights[
        "bert.embeddings.word_embeddings.weight"
    ]
    assert from_pretrained(directory(weights, config)).parts


@pytest.fixture
def classifier(weights, config):
    """The weights and config of a fine-tuned classifier of three labels."""
    weights = {k: v for k, v in weights.items() if k.startswith("bert.")}
    random = np.random.default_rng(0)
    weights["classifier.weight"] = random.normal(size=(3, 8)).astype("float32")
    weights["classifier.bias"] = np.arange(3, dtype=np.float32)
    config["architectures"] = ["BertForSequenceClassification"]
    config["id2label"] = {"0": "a", "2": "c", "1": "b"}
    return weights, config


def test_a_task_head_is_read_with_its_labels(classifier, directory):
    weights, config = classifier
    bert = from_pretrained(directory(weights, config))
    assert bert.parts == {"pooler"}
    assert bert.task.task == "TextClassifier"
    assert bert.task.settings["labels"] == ["a", "b", "c"]
    kernel, bias = bert.task_head.get_weights()
    np.testing.assert_array_equal(kernel, weights["classifier.weight"].T)
    np.testing.assert_array_equal(bias, [0, 1, 2])


@pytest.mark.parametrize(
    ("problem", "labels", "task"),
    [
        ("multi_label_classification", 3, "TextClassifier"),
        ("regression", 3, "TextRegressor"),
        (None, 1, "TextRegressor"),
    ],
)
def test_the_problem_tells_the_task(
    classifier, directory, problem, labels, task
):
    weights, config = classifier
    weights["classifier.weight"] = weights["classifier.weight"][:labels]
    weights["classifier.bias"] = weights["classifier.bias"][:labels]
    config["problem_type"] = problem
    record = from_pretrained(directory(weights, config)).task
    assert record.task == task and record.head.num_outputs == labels
    assert record.settings.get("multi_label") == (
        True if task == "TextClassifier" else None
    )


@pytest.mark.parametrize(
    "names", [{"0": "a", "1": "b"}, {"0": "a", "1": "b", "2": "a"}, ["a"]]
)
def test_labels_that_do_not_fit_the_head_are_an_error(
    classifier, directory, names
):
    weights, config = classifier
    config["id2label"] = names
    with pytest.raises(CheckpointError, match="each of the 3 outputs"):
        from_pretrained(directory(weights, config))


def test_a_head_that_the_weights_lack_is_named(classifier, directory):
    weights, config = classifier
    del weights["classifier.weight"], weights["classifier.bias"]
    message = "Missing: 2, classifier.weight, classifier.bias"
    with pytest.raises(CheckpointError, match=message):
        from_pretrained(directory(weights, config))


def test_a_head_of_no_known_task_is_left_out_and_said(
    classifier, directory, caplog
):
    weights, config = classifier
    config["architectures"] = ["BertForSomethingElse"]
    bert = from_pretrained(directory(weights, config))
    assert bert.parts == {"pooler"} and bert.task is None
    assert "in the model: classifier.bias, classifier.weight" in caplog.text


def test_without_a_pooler_there_is_none(weights, config, directory):
    weights = {k: v for k, v in weights.items() if "pooler" not in k}
    del weights["cls.seq_relationship.weight"]
    del weights["cls.seq_relationship.bias"]
    bert = from_pretrained(directory(weights, config))
    assert list(bert.encoder.output) == ["sequence_output"]
    assert list(bert.pretrainer.output) == ["mlm_logits"]
    with pytest.raises(ValueError, match="This BERT has no pooler"):
        bert.check_parts("pooler")


def test_without_heads_there_is_no_pretrainer(weights, config, directory):
    weights = {k: v for k, v in weights.items() if k.startswith("bert.")}
    bert = from_pretrained(directory(weights, config))
    assert list(bert.encoder.output) == ["sequence_output", "pooled_output"]
    with pytest.raises(ValueError, match="no masked_lm_head.*allow_missing"):
        bert.pretrainer
    heads = ("masked_lm_head", "nsp_head")
    fresh = from_pretrained(directory(weights, config), heads)
    assert list(fresh.pretrainer.output) == ["mlm_logits", "nsp_logits"]


def test_rows_without_a_token_are_named(weights, config, directory, caplog):
    bert = from_pretrained(directory(weights, config, 32 * ["word"]))
    assert len(bert.tokenizer.vocabulary) == 37
    assert bert.config.vocab_size == 40
    assert "rows 37 to 39 of the embedding table" in caplog.text
    fill_mask = keras_bert.FillMask(bert, top_k=100)
    assert len(fill_mask("[MASK]")[0]) == 37


def test_a_longer_vocabulary_is_an_error(weights, config, directory):
    with pytest.raises(CheckpointError, match="vocab_size=40, 41 tokens"):
        from_pretrained(directory(weights, config, 36 * ["word"]))


def test_sharded_files_are_read(weights, config, directory):
    path = directory(weights, config)
    whole = from_pretrained(path)
    (path / "model.safetensors").unlink()
    names = sorted(weights)
    places = {}
    for number, part in enumerate((names[::2], names[1::2])):
        file = f"model-0000{number + 1}-of-00002.safetensors"
        write_arrays(path / file, {name: weights[name] for name in part})
        places |= {name: file for name in part}
    index = {"metadata": {"total_size": 1}, "weight_map": places}
    (path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert_same_weights(from_pretrained(path), whole)


def assert_same_weights(bert, other):
    for weight, expected in zip(
        bert.model.weights, other.model.weights, strict=True
    ):
        assert weight.path == expected.path
        np.testing.assert_array_equal(weight.numpy(), expected.numpy())


@pytest.mark.parametrize(
    "removed, architecture",
    [
        ((), "BertForPreTraining"),
        (("pooler", "seq_relationship"), "BertForMaskedLM"),
        (("cls.",), "BertModel"),
        (("cls.predictions",), "BertForNextSentencePrediction"),
    ],
)
def test_the_architecture_is_what_there_is(
    removed, architecture, weights, config, directory, tmp_path
):
    weights = {
        name: array
        for name, array in weights.items()
        if not any(part in name for part in removed)
    }
    bert = from_pretrained(directory(weights, config))
    save_pretrained(bert, tmp_path / "hf", format="hf")
    saved = json.loads((tmp_path / "hf" / "config.json").read_text())
    assert saved["architectures"] == [architecture]
    assert saved["hidden_act"] == "gelu"
    assert_same_weights(from_pretrained(tmp_path / "hf"), bert)


def test_a_config_of_another_family_is_an_error(weights, config, directory):
    config["model_type"] = "xlnet"
    with pytest.raises(CheckpointError, match="config.json: `model_type`"):
        from_pretrained(directory(weights, config))


@pytest.mark.parametrize(
    "key, value",
    [
        ("num_hidden_layers", 10**12),
        ("vocab_size", 10**12),
        ("intermediate_size", 2**62),
    ],
)
def test_absurd_sizes_are_refused_before_anything_is_made(
    key, value, weights, config, directory
):
    with pytest.raises(CheckpointError, match="model.safetensors"):
        from_pretrained(directory(weights, {**config, key: value}))


def test_a_directory_without_weights_says_what_is_wanted(
    weights, config, directory
):
    path = directory(weights, config)
    shutil.move(path / "model.safetensors", path / "model.tensors")
    with pytest.raises(
        CheckpointError, match="must be a checkpoint directory.*model.tensors"
    ):
        from_pretrained(path)


def test_the_output_of_a_fine_tuning_names_its_model(
    weights, config, directory, tmp_path
):
    shutil.copytree(directory(weights, config), tmp_path / "run/model")
    with pytest.raises(CheckpointError, match="Did you mean .*run/model"):
        from_pretrained(tmp_path / "run")
