"""The relatives of BERT in tasks and exports."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from tests import tiny

pytestmark = pytest.mark.usefixtures("eager_steps")

_PADDED_POSITIONS = ("longformer", "roberta", "xlm-roberta", "mpnet")
_CHANGES = {
    "albert": {"E": 8, "num_hidden_groups": 2},
    "big_bird": {"block_size": 1},
    "electra": {"E": 8},
    "ernie": {"use_task_id": True},
}
_FAMILIES = "albert deberta-v2 electra roberta".split()
_LONG_TAIL = "big_bird deberta distilbert ernie longformer modernbert".split()
_LONG_TAIL += "mpnet xlm-roberta xlnet".split()
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
    params=_FAMILIES
    + [pytest.param(x, marks=pytest.mark.exhaustive) for x in _LONG_TAIL]
)
def model(request, make):
    return make(request.param)


def encoded(model, text):
    """Return the unpadded inputs of a single text."""
    inputs = keras_bert.FillMask(model).preprocess([text])
    inputs = {name: x.numpy() for name, x in inputs.items()}
    length = inputs["input_mask"].sum()
    return {name: x[:, :length] for name, x in inputs.items()}


def test_texts_are_embedded(model):
    states = model.backbone.states_model()(encoded(model, "word3"))
    means = [states[str(index)].numpy()[0].mean(0) for index in range(1, 5)]
    expected = {"mean": means[-1], "last4": np.concatenate(means)}
    for pooling, values in expected.items():
        embedder = keras_bert.TextEmbedder(model, pooling=pooling)
        vector = embedder.embed(_TEXTS)[1]
        np.testing.assert_allclose(vector, values, atol=1e-5)


def test_masks_are_filled(model):
    vocabulary = model.tokenizer.vocabulary
    text = f"word1 {vocabulary.roles['mask']} word2"
    fillings = keras_bert.FillMask(model, top_k=2)(text)
    inputs = encoded(model, text)
    mask_id = vocabulary.id_of(vocabulary.roles["mask"])
    positions = np.nonzero(inputs["input_ids"] == mask_id)[1][np.newaxis]
    logits = model.pretrainer({**inputs, "masked_lm_positions": positions})
    best = int(np.argmax(logits["mlm_logits"][0, 0]))
    assert fillings[0][0]["token"] == vocabulary.tokens[best]
    assert fillings[0][0]["text"] == model.tokenizer.detokenize([best])


@pytest.mark.exhaustive
def test_a_classifier_learns_and_is_served_as_it_was_saved(model, tmp_path):
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    before = classifier._logits(classifier._encode(_TEXTS))
    classifier.fit(_TEXTS, [0, 1, 0, 1], learning_rate=1e-2, **_RECIPE)
    expected = classifier._logits(classifier._encode(_TEXTS))
    assert np.abs(expected - before).max() > 0.01
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
    task.export_tflite(tmp_path / "model.tflite", "float32", files=["ids"])
    assert (tmp_path / "model_ids.tflite").stat().st_size > 10_000


@pytest.mark.exhaustive
@pytest.mark.parametrize("packed", [False, True])
def test_an_onnx_file_answers_as_python(model, packed, tmp_path):
    import onnxruntime as ort

    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    texts = [*_TEXTS, "e\u0301 word4"]
    options = {"names": "keras_bert", "packed": packed}
    classifier.export_onnx(tmp_path / "onnx", **options)
    session = ort.InferenceSession(tmp_path / "onnx" / "model.onnx")
    rows = {k: x.numpy() for k, x in classifier.preprocess(texts).items()}
    names = [output.name for output in session.get_outputs()]
    answer = dict(zip(names, session.run(None, rows)))
    expected = classifier.predict_ids(rows)["logits"]
    np.testing.assert_allclose(answer["logits"], expected, atol=1e-4)


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
def test_groups_of_shared_blocks_freeze_and_start_anew_whole(make):
    model = make("albert")
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    moved = _moved(classifier, learning_rate=0.01, num_frozen_layers=2)
    still = {
        p.partition("/")[0] for p, distance in moved.items() if not distance
    }
    assert still == {"embeddings", "group_0_block_0"}
    moved = _moved(classifier, learning_rate=1e-12, num_reset_layers=2)
    anew = {
        p.partition("/")[0] for p, distance in moved.items() if distance > 1e-6
    }
    assert anew == {"group_1_block_0"}


@pytest.mark.parametrize(
    "name, count", [("num_frozen_layers", 1), ("num_reset_layers", 3)]
)
def test_runs_of_a_block_cannot_be_parted(name, count, make):
    model = make("albert")
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    shared = "group_0_block_0 is used 2 times in 4 layers"
    with pytest.raises(ValueError, match=f"{shared}. Rec.*{name}={count}"):
        _moved(classifier, **{name: count})


@pytest.mark.parametrize(
    "family, layers_above",
    [
        (
            "albert",  # A block that runs twice is one layer.
            {
                "classifier/logits/bias": 0,
                "pooler/bias": 0,
                "group_1_block_0/output_layer_norm/beta": 1,
                "group_0_block_0/output_layer_norm/beta": 2,
                "embeddings/projection/bias": 3,
            },
        ),
        (
            "electra",  # As published: the last block has the squared rate.
            {
                "classifier/dense/bias": 0,
                "block_3/output_layer_norm/beta": 2,
                "block_0/output_layer_norm/beta": 5,
                "embeddings/tables/layer_norm/beta": 6,
            },
        ),
    ],
)
def test_rates_decay_layer_by_layer(family, layers_above, make):
    """Adam's first step changes weights by the learning rate."""
    model = make(family)
    classifier = keras_bert.TextClassifier(model, labels=["one", "other"])
    moved = _moved(classifier, learning_rate=1e-3, layer_decay=0.5)
    expected = {path: 1e-3 * 0.5**n for path, n in layers_above.items()}
    found = {path: moved[path] for path in expected}
    assert found == pytest.approx(expected, rel=0.02)
