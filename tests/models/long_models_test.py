import json

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models import make_long
from tests import tiny

_FAMILIES = ["albert", "bert", "distilbert", "roberta"]
_PADDED = {"roberta": 2}


@pytest.fixture(scope="module", params=_FAMILIES)
def short(request, make_settings_of):
    settings = make_settings_of(request.param)
    sizes = {"P": 16 + _PADDED.get(request.param, 0), "L": 3}
    config = tiny.config(request.param, V=len(settings.vocabulary), **sizes)
    return tiny.widened(PretrainedModel.from_config(config, settings))


def rows(model, length, seed=0):
    random = np.random.default_rng(seed)
    ids = random.integers(5, 30, (2, length)).astype("int32")
    mask = np.ones_like(ids)
    mask[1, length - 3 :] = 0
    padding = getattr(model.config, "pad_token_id", 0)
    inputs = {"input_ids": np.where(mask, ids, padding), "input_mask": mask}
    inputs["segment_ids"] = mask * (np.arange(length) > 4)
    inputs = {name: inputs[name] for name in model.encoder.input}
    return {k: x.astype("int32") for k, x in inputs.items()}, mask > 0


def test_short_texts_give_the_same(short):
    long = make_long(short, max_positions=50, window=30)
    assert long.config.max_seq_length == long.sequence_length() == 50
    assert long.parts == short.parts
    inputs, real = rows(short, 16)
    found, expected = (x.encoder(inputs) for x in (long, short))
    assert {*found} == {*expected}
    for name, values in expected.items():
        near = np.asarray(found[name]), np.asarray(values)
        if name == "sequence_output":
            near = [x[real] for x in near]
        np.testing.assert_allclose(*near, atol=1e-5)
    long.encoder(rows(long, 50)[0])
    narrow = make_long(short, max_positions=50, window=4)
    found = np.asarray(narrow.encoder(inputs)["sequence_output"])
    assert np.abs(found - expected["sequence_output"])[real].max() > 0.01


def test_weights_are_copies(short):
    long = make_long(short, max_positions=40, window=8)
    for path, weight in long.weights.items():
        name, ours = path.rpartition("/")[2], np.asarray(weight)
        if name == "position_embeddings":
            first = _PADDED.get(short.config.model_type, 0)
            before = np.asarray(short.weights[path])
            np.testing.assert_array_equal(ours[: first + 16], before)
            np.testing.assert_array_equal(
                ours[first + 16 : first + 32], before[first:]
            )
        elif "/global_key/" in path:
            fused = path.replace("global_key", "query_key_value")
            third = np.split(np.asarray(short.weights[fused]), 3, -1)[1]
            np.testing.assert_array_equal(ours, third)
        elif "/global_" not in path:
            np.testing.assert_array_equal(ours, short.weights[path])


@pytest.mark.smoke("roberta")
def test_a_long_model_is_saved_and_learns(short, tmp_path):
    long = make_long(short, max_positions=50, window=8)
    keras_bert.save_pretrained(long, tmp_path / "long")
    again = keras_bert.from_pretrained(tmp_path / "long")
    assert again.config == long.config and again.config.attention_window == 8
    for path, weight in long.weights.items():
        np.testing.assert_array_equal(weight, again.weights[path])
    if short.config.model_type == "roberta":
        assert again.family.name == "Longformer"
        keras_bert.save_pretrained(long, tmp_path / "hf", format="hf")
        config = json.loads((tmp_path / "hf/config.json").read_text())
        assert config["architectures"] == ["LongformerForMaskedLM"]
        assert config["sep_token_id"] == 2
    else:
        with pytest.raises(ValueError, match="with an `attention_window`"):
            keras_bert.save_pretrained(long, tmp_path / "hf", format="hf")
    classifier = keras_bert.TextClassifier(
        again, labels=["one", "other"], seq_length=40
    )
    inputs = classifier.preprocess(["word1 word2", "word3 " * 30])
    weights = classifier.model.trainable_weights
    with tf.GradientTape() as tape:
        logits = classifier.model(
            {k: inputs[k] for k in classifier.input_names}
        )
        loss = tf.reduce_sum(logits["logits"][:, 0])
    for weight, gradient in zip(weights, tape.gradient(loss, weights)):
        if "/global_" in weight.path and "key/bias" not in weight.path:
            assert np.abs(gradient).max() > 0, weight.path
    classifier.save(tmp_path / "task")
    loaded = keras_bert.TextClassifier.from_pretrained(tmp_path / "task")
    texts = ["word2 " * 35, "word1"]
    np.testing.assert_allclose(
        loaded.probabilities(texts), classifier.probabilities(texts), atol=1e-6
    )


def test_a_short_config_does_not_mention_a_window():
    for name in _FAMILIES:
        assert "attention_window" not in tiny.config(name).to_dict()


def _long(model_type="bert", window=512, max_positions=4096, **changes):
    model = tiny.pretrained(tiny.config(model_type, **changes))
    return make_long(model, max_positions, window)


_OTHER = "`model` must have .*: albert, bert, distilbert, roberta\\."


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: _long(window=7), "`window` must be an even int.*=7"),
        (lambda: _long(max_positions=15), "at least 16. Received: max_.*=15"),
        (lambda: make_long("bert"), "must be a PretrainedModel.*: str"),
        (lambda: _long("deberta-v2"), _OTHER),
        (lambda: _long("bert", is_decoder=True), _OTHER),
        (lambda: _long("bert", attention_window=4), _OTHER),
    ],
)
def test_wrong_arguments_and_other_models_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize("model_type", ["albert", "bert", "distilbert"])
def test_questions_and_choices_are_global_where_there_are_segments(model_type):
    long = make_long(tiny.pretrained(tiny.config(model_type)), 50, 4)
    segments = np.array([[0, 0, 0, 1, 1, 0]], "int32")
    mask = np.array([[1, 1, 1, 1, 1, 0]], "int32")
    rows = {"input_ids": mask + 4, "input_mask": mask, "segment_ids": segments}
    expected = {
        "classifier": [0],
        "span_classifier": [0, 1, 2],
        "choice_scorer": [3, 4],
    }
    rows = {name: rows[name] for name in long.encoder.input}
    for part, places in expected.items():
        kind = long.family.task_heads[part]
        backbone = kind.backbone(long.backbone, long.config, part)
        chosen = np.asarray(backbone._make_context(rows)["global_tokens"])[0]
        found = chosen.argmax(axis=1)[chosen.any(axis=1)].tolist()
        assert found == (places if "segment_ids" in rows else [0])
    kind = long.family.task_heads["token_classifier"]
    part = "token_classifier"
    assert kind.backbone(long.backbone, long.config, part) is long.backbone
