import json
import shutil

import numpy as np
import pytest

import keras_bert
from keras_bert import from_pretrained
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.text import Vocabulary
from tests.families.golden import Golden
from tests.families.golden import assert_equal_weights


@pytest.fixture
def golden(make_settings_of):
    """Return a model with the erf GELU; tests can change weights and config."""
    return Golden("gelu", make_settings_of)


@pytest.fixture
def weights(golden):
    return golden.weights


@pytest.fixture
def write(golden, tmp_path):
    """Return a function that writes a directory like `transformers`."""

    def write(weights=None, **config):
        path = tmp_path / f"hf-{len([*tmp_path.iterdir()])}"
        return golden.write(path, weights, **config)

    return write


def remove(weights, *parts):
    for name in [x for x in weights if any(part in x for part in parts)]:
        del weights[name]


@pytest.mark.parametrize(
    "change",
    [
        lambda name: f"module.{name}",
        lambda name: f"0.auto_model.{name.removeprefix('bert.')}",
        lambda name: f"model.{name}",
        lambda name: name if name[:3] == "cls" else f"bert.{name}",
        lambda name: name.replace("predictions.b", "predictions.decoder.b"),
        lambda name: name.replace(
            "LayerNorm.weight", "LayerNorm.gamma"
        ).replace("LayerNorm.bias", "LayerNorm.beta"),
    ],
    ids=["module", "sentence-transformers", "model", "twice"]
    + ["bias of the decoder", "gamma and beta"],
)
def test_other_names_of_the_same_arrays_are_read(change, weights, write):
    expected = from_pretrained(write())
    renamed = {change(name): array for name, array in weights.items()}
    renamed["bert.embeddings.position_ids"] = np.arange(16, dtype=np.float32)
    assert_equal_weights(from_pretrained(write(renamed)), expected)


def test_arrays_of_two_models_are_an_error(weights, write):
    both = {f"{x}.{k}": v for k, v in weights.items() for x in ("doc", "query")}
    with pytest.raises(CheckpointError, match="prefixes doc., query.. Save"):
        from_pretrained(write(both))


def test_what_is_not_read_is_a_warning_that_names_it(weights, write, caplog):
    plain = from_pretrained(write())
    assert not caplog.records
    weights["surprise"] = np.zeros(2, np.float32)
    path = write(my_key=1, other_key=2)
    assert from_pretrained(path).config == plain.config
    keys, arrays = (record.getMessage() for record in caplog.records)
    assert "unknown keys: my_key, other_key." in keys
    assert arrays.endswith("1 arrays that the model does not use: surprise.")
    with pytest.raises(CheckpointError, match="unknown keys: my_key"):
        from_pretrained(path, strict=True)
    with pytest.raises(CheckpointError, match="Unexpected: 1, surprise"):
        from_pretrained(write(), strict=True)
    with pytest.raises(ValueError, match="`strict` must be True or False"):
        from_pretrained(path, strict="yes")


def test_weights_that_are_not_finite_are_named(weights, write, caplog):
    weights["bert.encoder.layer.1.output.dense.weight"][3, 5] = np.nan
    from_pretrained(write())
    (record,) = caplog.records
    assert record.getMessage().endswith(
        "NaN or infinity: block_1/feed_forward/feed_forward_output/kernel."
    )


def test_an_adapter_that_is_not_merged_is_an_error(weights, write):
    path = write()
    (path / "adapter_config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="merge_and_unload"):
        from_pretrained(path)
    name = "bert.encoder.layer.0.attention.self.query.lora_A.default.weight"
    weights[name] = np.zeros((2, 8), np.float32)
    with pytest.raises(CheckpointError, match="merge_and_unload"):
        from_pretrained(write())


@pytest.fixture
def classifier(golden, weights):
    """Return the weights of a fine-tuned classifier with three labels."""
    remove(weights, "cls.")
    random = np.random.default_rng(0)
    weights["classifier.weight"] = random.normal(size=(3, 8)).astype("float32")
    weights["classifier.bias"] = np.arange(3, dtype=np.float32)
    golden.config["architectures"] = ["BertForSequenceClassification"]
    golden.config["id2label"] = {"0": "a", "2": "c", "1": "b"}
    return weights


def test_a_task_head_is_read_with_its_labels(classifier, write):
    bert = from_pretrained(write())
    assert bert.parts == {"pooler"}
    assert bert.task.task == "TextClassifier"
    assert bert.task.settings["labels"] == ["a", "b", "c"]
    kernel, bias = bert.task_head.get_weights()
    np.testing.assert_array_equal(kernel, classifier["classifier.weight"].T)
    np.testing.assert_array_equal(bias, [0, 1, 2])


@pytest.mark.parametrize(
    ("problem", "labels", "task"),
    [
        ("multi_label_classification", 3, "TextClassifier"),
        ("regression", 3, "TextRegressor"),
        (None, 1, "TextRegressor"),
    ],
)
def test_the_problem_decides_the_task(classifier, write, problem, labels, task):
    for name in ("classifier.weight", "classifier.bias"):
        classifier[name] = classifier[name][:labels]
    record = from_pretrained(write(problem_type=problem)).task
    assert record.task == task and record.head.num_outputs == labels
    assert record.settings.get("multi_label") == (
        True if task == "TextClassifier" else None
    )


@pytest.mark.parametrize("names", [{"0": "a", "1": "b", "2": "a"}, ["a"]])
def test_labels_that_do_not_fit_the_head_are_an_error(classifier, write, names):
    with pytest.raises(CheckpointError, match="each of the 3 outputs"):
        from_pretrained(write(id2label=names))


def test_a_head_that_the_weights_lack_is_named(classifier, write):
    remove(classifier, "classifier.")
    message = "Missing: 2, classifier.weight, classifier.bias"
    with pytest.raises(CheckpointError, match=message):
        from_pretrained(write())


@pytest.mark.parametrize(
    "name, architecture, message",
    [
        ("gelu", "BertForSomethingElse", "does not use: classifier.bias."),
        (
            "xlnet",
            "XLNetForQuestionAnswering",
            "the head of XLNetForQuestionAnswering is not",
        ),
    ],
)
def test_a_head_of_no_known_task_is_left_out_and_said(
    name, architecture, message, make_settings_of, tmp_path, caplog
):
    golden = Golden(name, make_settings_of)
    golden.weights["classifier.bias"] = np.zeros(3, np.float32)
    path = golden.write(tmp_path / "hf", architectures=[architecture])
    assert from_pretrained(path).task is None
    assert message in caplog.text


def test_what_there_is_not_is_an_error_when_asked_for(weights, write):
    remove(weights, "pooler", "seq_relationship")
    bert = from_pretrained(write())
    assert list(bert.encoder.output) == ["sequence_output"]
    assert list(bert.pretrainer.output) == ["mlm_logits"]
    with pytest.raises(ValueError, match="This BERT has no pooler"):
        bert.check_parts("pooler")
    remove(weights, "cls.")
    bert = from_pretrained(write())
    with pytest.raises(ValueError, match="no masked_lm_head.*allow_missing"):
        bert.pretrainer
    fresh = from_pretrained(write(), ["masked_lm_head"])
    assert list(fresh.pretrainer.output) == ["mlm_logits"]


def test_the_vocabulary_may_be_shorter_only(golden, write, caplog):
    vocabulary = golden.settings.vocabulary
    for tokens in (vocabulary.tokens[:37], [*vocabulary.tokens, "more"]):
        path = write()
        Vocabulary(tokens).save(path / "vocab.txt")
        if len(tokens) > 40:
            with pytest.raises(CheckpointError, match="=40, 41 tokens"):
                from_pretrained(path)
            continue
        bert = from_pretrained(path)
        assert len(bert.tokenizer.vocabulary) == 37
        assert bert.config.vocab_size == 40
        assert "word embeddings 37 to 39" in caplog.text
        fill_mask = keras_bert.FillMask(bert, top_k=100)
        assert len(fill_mask("[MASK]")[0]) == 37


def test_sharded_files_are_read(weights, write):
    path = write()
    whole = from_pretrained(path)
    shard = "model-00001-of-00001.safetensors"
    (path / "model.safetensors").rename(path / shard)
    index = {"weight_map": dict.fromkeys(weights, shard)}
    (path / "model.safetensors.index.json").write_text(json.dumps(index))
    assert_equal_weights(from_pretrained(path), whole)


@pytest.mark.parametrize(
    "name, removed, parts, architecture",
    [
        ("gelu", ("pooler", "seq_relationship"), 1, "BertForMaskedLM"),
        ("gelu", ("cls.",), 1, "BertModel"),
        ("gelu", ("cls.predictions",), 2, "BertForNextSentencePrediction"),
        ("electra", ("discriminator_",), 1, "ElectraForMaskedLM"),
    ],
)
def test_the_architecture_is_what_there_is(
    name, removed, parts, architecture, make_settings_of, tmp_path
):
    golden = Golden(name, make_settings_of)
    remove(golden.weights, *removed)
    model = from_pretrained(golden.write(tmp_path / "hf"))
    assert len(model.parts) == parts
    save_pretrained(model, tmp_path / "new", format="hf")
    saved = json.loads((tmp_path / "new" / "config.json").read_text())
    assert saved["architectures"] == [architecture]
    assert from_pretrained(tmp_path / "new").parts == model.parts


def test_an_absurd_size_is_refused_before_anything_is_created(write):
    with pytest.raises(CheckpointError, match="model.safetensors"):
        from_pretrained(write(intermediate_size=2**62))


def test_another_directory_says_what_is_wanted(write, tmp_path):
    shutil.copytree(write(), tmp_path / "run/model")
    with pytest.raises(CheckpointError, match="Did you mean .*run/model"):
        from_pretrained(tmp_path / "run")
    path = write()
    shutil.move(path / "model.safetensors", path / "model.tensors")
    with pytest.raises(
        CheckpointError, match="is not a checkpoint directory.*model.tensors"
    ):
        from_pretrained(path)
    (path / "adapter_config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="PEFT adapter.*`load_adapter`"):
        from_pretrained(path)
