"""The relatives of BERT in tasks and exports."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.text import Preprocessor
from tests import tiny

_PADDED_POSITIONS = ("longformer", "roberta", "xlm-roberta", "mpnet")
_CHANGES = {
    "albert": {"E": 8, "num_hidden_groups": 2},
    "big_bird": {"block_size": 1},
    "electra": {"E": 8},
    "ernie": {"use_task_id": True},
    "longformer": {"attention_window": 4},
}
_FAMILIES = ("albert", "deberta-v2", "electra", "roberta")
_LONG_TAIL = (
    *("big_bird", "deberta", "distilbert", "ernie", "longformer"),
    "modernbert",
    "mpnet",
    "xlm-roberta",
    "xlnet",
)
_TEXTS = ["word1 word2", "word3", "word4 word5 word6", "word7 word1"]
_RECIPE = {"epochs": 1, "batch_size": 4, "warmup": 0.0, "verbose": 0}


@pytest.fixture
def make(make_settings_of):
    def make(model_type):
        settings = make_settings_of(model_type)
        if model_type == "modernbert":
            settings = dataclasses.replace(settings, normalizer="NFC")
        sizes = {"H": 16, "I": 32, "L": 4, "V": len(settings.vocabulary)}
        sizes["P"] = 12 + 2 * (model_type in _PADDED_POSITIONS)
        sizes |= _CHANGES.get(model_type, {})
        config = tiny.config(model_type, **sizes, initializer_range=0.5)
        return PretrainedModel.from_config(config, settings)

    return make


@pytest.fixture(
    params=[
        *_FAMILIES,
        *(pytest.param(x, marks=pytest.mark.exhaustive) for x in _LONG_TAIL),
    ]
)
def model(request, make):
    return make(request.param)


@pytest.fixture
def albert(make):
    return make("albert")


def encoded(model, text):
    """Return the unpadded inputs of a single text."""
    preprocess = Preprocessor(
        model.tokenizer.with_special_tokens(), model.family.template, 12
    )
    inputs = {name: x.numpy() for name, x in preprocess([text]).items()}
    length = inputs["input_mask"].sum()
    return {name: x[:, :length] for name, x in inputs.items()}


@pytest.mark.smoke("mean")
@pytest.mark.parametrize("pooling", ["mean", "cls", "max", "last4"])
def test_texts_are_embedded(pooling, model):
    embedder = keras_bert.TextEmbedder(model, pooling=pooling)
    vector = embedder.embed(_TEXTS)[1]
    states = model.backbone.states_model()(encoded(model, "word3"))
    states = [states[str(index)].numpy()[0] for index in range(5)]
    expected = {
        "mean": states[-1].mean(0),
        "cls": states[-1][0],
        "max": states[-1].max(0),
        "last4": np.concatenate([state.mean(0) for state in states[1:]]),
    }
    np.testing.assert_allclose(vector, expected[pooling], atol=1e-5)


def test_masks_are_filled(model):
    vocabulary = model.tokenizer.vocabulary
    text = f"word1 {vocabulary.roles['mask']} word2"
    fillings = keras_bert.FillMask(model, top_k=2)(text)
    inputs = encoded(model, text)
    is_mask = inputs["input_ids"][0] == vocabulary.id_of(
        vocabulary.roles["mask"]
    )
    positions = np.flatnonzero(is_mask)[None].astype("int32")
    logits = model.pretrainer({**inputs, "masked_lm_positions": positions})
    best = int(np.argmax(logits["mlm_logits"][0, 0]))
    assert fillings[0][0]["token"] == vocabulary.tokens[best]
    assert fillings[0][0]["text"] == model.tokenizer.detokenize([best])


@pytest.mark.exhaustive
def test_a_classifier_learns_and_is_served_as_it_was_saved(model, tmp_path):
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    before = [classifier._logits(classifier._encode(_TEXTS)) for _ in range(2)]
    np.testing.assert_array_equal(*before)
    classifier.fit(_TEXTS, [0, 1, 0, 1], learning_rate=1e-2, **_RECIPE)
    expected = classifier._logits(classifier._encode(_TEXTS))
    assert np.abs(expected - before[0]).max() > 0.01
    keras_bert.export.export_saved_model(classifier, tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    answer = loaded.signatures["serving_default"](text=tf.constant(_TEXTS))
    np.testing.assert_allclose(answer["logits"], expected, atol=1e-4)
    _, arguments = loaded.signatures["ids"].structured_input_signature
    assert {*arguments} == {*model.backbone.inputs}


@pytest.mark.exhaustive
# Some texts of the export's check have no mask.
@pytest.mark.parametrize("make_task", ["FeatureExtractor", "FillMask"])
def test_a_tflite_file_is_written(make_task, model, tmp_path):
    task = getattr(keras_bert.tasks, make_task)(model)
    keras_bert.export.export_tflite(
        task, tmp_path / "model.tflite", "float32", files=["ids"]
    )
    assert (tmp_path / "model_ids.tflite").stat().st_size > 10_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("packed", [False, True])
def test_an_onnx_file_answers_as_python(model, packed, tmp_path):
    ort = pytest.importorskip("onnxruntime")
    pytest.importorskip("tf2onnx")
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    texts = [*_TEXTS, "e\u0301 word4"]
    keras_bert.export.export_onnx(
        classifier, tmp_path / "onnx", names="keras_bert", packed=packed
    )
    session = ort.InferenceSession(tmp_path / "onnx" / "model.onnx")
    rows = {k: x.numpy() for k, x in classifier.preprocess(texts).items()}
    if (tmp_path / "onnx/tokenizer.json").exists():
        tokenizers = pytest.importorskip("tokenizers")
        cutter = tokenizers.Tokenizer.from_file(
            str(tmp_path / "onnx/tokenizer.json")
        )
        for row, text in zip(rows["input_ids"], texts, strict=True):
            ids = cutter.encode(text).ids
            assert row[: len(ids)].tolist() == ids
    names = [output.name for output in session.get_outputs()]
    answer = dict(zip(names, session.run(None, rows)))
    expected = classifier.predict_ids(rows)["logits"]
    np.testing.assert_allclose(answer["logits"], expected, atol=1e-4)


@pytest.mark.exhaustive
def test_exports_find_special_tokens_in_texts(model, tmp_path):
    keras_bert.save_pretrained(model, tmp_path / "plain")
    classifier = keras_bert.TextClassifier.from_pretrained(
        tmp_path / "plain", labels=["x", "y"], special_tokens_in_text=True
    )
    vocabulary = model.tokenizer.vocabulary
    mask = vocabulary.roles["mask"]
    texts = [f"word1{mask}word2", f"word1 {mask}{mask.swapcase()}"]
    ids = classifier.preprocess(texts)["input_ids"].numpy()
    assert ((ids == vocabulary.id_of(mask)).sum(1) == 1).all()
    keras_bert.export.export_saved_model(classifier, tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    answer = loaded.signatures["serving_default"](text=tf.constant(texts))
    np.testing.assert_allclose(
        answer["probabilities"], classifier.probabilities(texts), atol=1e-5
    )
    path = tmp_path / "model.tflite"
    of_strings = "albert", "distilbert", "electra", "ernie", "xlnet"
    if model.config.model_type not in of_strings:
        with pytest.raises(ValueError, match="needs .*files=.'ids'"):
            classifier.export_tflite(path, kind="float32", texts=texts)
    else:  # The export compares the outputs.
        classifier.export_tflite(path, kind="float32", texts=texts)


def test_the_longest_text_is_as_long_as_there_are_positions(model):
    assert model.sequence_length() == 12
    with pytest.raises(ValueError, match="from 1 to 12, .*seq_length=13, max"):
        model.sequence_length(13)


def _moved(classifier, **recipe):
    """Return the change of each variable in one training step."""
    before = {v.path: v.numpy() for v in classifier.model.weights}
    classifier.fit(_TEXTS, [0, 1, 0, 1], **{**_RECIPE, **recipe})
    return {
        v.path: float(np.abs(v.numpy() - before[v.path]).max())
        for v in classifier.model.weights
        if "seed" not in v.path
    }


@pytest.mark.exhaustive
def test_groups_of_shared_blocks_freeze_and_start_anew_whole(albert):
    classifier = keras_bert.TextClassifier(albert, labels=["one", "other"])
    moved = _moved(classifier, learning_rate=0.01, num_frozen_layers=2)
    still = {path for path, distance in moved.items() if not distance}
    assert {path.partition("/")[0] for path in still} == {
        "embeddings",
        "group_0_block_0",
    }
    assert not [p for p in still if p.startswith(("group_1", "pooler"))]
    moved = _moved(classifier, learning_rate=1e-12, num_reset_layers=2)
    anew = {path for path, distance in moved.items() if distance > 1e-6}
    assert {path.partition("/")[0] for path in anew} == {"group_1_block_0"}


@pytest.mark.parametrize(
    "name, count", [("num_frozen_layers", 1), ("num_reset_layers", 3)]
)
def test_runs_of_a_block_cannot_be_parted(name, count, albert):
    classifier = keras_bert.TextClassifier(albert, labels=["one", "other"])
    before = {v.path: v.numpy() for v in classifier.model.weights}
    with pytest.raises(
        ValueError,
        match=f"`{name}` must include all.*group_0_block_0 is used 2 times in "
        f"4 layers. Received: {name}={count}",
    ):
        _moved(classifier, **{name: count})
    for v in classifier.model.weights:
        np.testing.assert_array_equal(before[v.path], v.numpy())


@pytest.mark.parametrize(
    "family, layers_above",
    [
        (
            "bert",  # Adam's first step changes weights by the learning rate.
            {
                "classifier/logits/bias": 0,
                "pooler/bias": 0,
                "block_3/output_layer_norm/beta": 1,
                "block_0/output_layer_norm/beta": 4,
                "embeddings/layer_norm/beta": 5,
            },
        ),
        (
            "albert",  # A block that runs twice is one layer.
            {
                "classifier/logits/bias": 0,
                "group_1_block_0/output_layer_norm/beta": 1,
                "group_0_block_0/output_layer_norm/beta": 2,
                "embeddings/projection/bias": 3,
                "embeddings/tables/layer_norm/beta": 3,
            },
        ),
        (
            "electra",  # As published: the last block has the squared rate.
            {
                "classifier/logits/bias": 0,
                "classifier/dense/bias": 0,
                "block_3/output_layer_norm/beta": 2,
                "block_0/output_layer_norm/beta": 5,
                "embeddings/projection/bias": 6,
                "embeddings/tables/layer_norm/beta": 6,
            },
        ),
    ],
)
def test_rates_decay_layer_by_layer(family, layers_above, make):
    model = make(family)
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    moved = _moved(classifier, learning_rate=1e-3, layer_decay=0.5)
    expected = {path: 1e-3 * 0.5**n for path, n in layers_above.items()}
    found = {path: moved[path] for path in expected}
    assert found == pytest.approx(expected, rel=0.02)
