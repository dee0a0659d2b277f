"""Tasks with layers, policies and weights changed through Keras."""

import warnings

import keras
import numpy as np
import pytest

from keras_bert.layers.flat_dense import dense_layers
from keras_bert.tasks import TextClassifier

_TEXTS = ["the dog", "a cat sees", "meat and fish", "seeds", "a bird"] * 2
_LABELS = [0, 0, 1, 1, 0] * 2
_LABEL_NAMES = ["animal", "food"]


def _logits(classifier):
    return classifier._logits(classifier._encode(_TEXTS))


def _fit(classifier):
    recipe = {"epochs": 2, "batch_size": 5, "learning_rate": 0.02}
    classifier.fit(_TEXTS, _LABELS, verbose=0, **recipe)


@pytest.fixture(scope="module")
def adapted(make_bert):
    """Return a classifier with trained adapters."""
    classifier = TextClassifier(make_bert(), labels=_LABEL_NAMES)
    _logits(classifier)  # Trace the graph without adapters.
    classifier.pretrained.encoder.trainable = False
    for layer in dense_layers(classifier.pretrained.encoder):
        layer.trainable = True
        layer.enable_lora(2, lora_alpha=3)
    _fit(classifier)
    return classifier


def test_answers_are_of_the_adapters_traced_or_packed(adapted):
    for _ in range(65):  # In this case, the weights are copied.
        logits = _logits(adapted)
    expected = adapted.model(adapted.preprocess(_TEXTS))["logits"]
    np.testing.assert_allclose(logits, expected, atol=1e-5)
    _fit(adapted)
    changed = adapted.model(adapted.preprocess(_TEXTS))["logits"]
    np.testing.assert_allclose(_logits(adapted), changed, atol=1e-5)
    assert np.abs(changed - expected).max() > 1e-3


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_saved_task_has_the_adapters_merged(adapted, tmp_path, format):
    adapted.save(tmp_path / "saved", format=format)
    read = TextClassifier.from_pretrained(tmp_path / "saved")
    np.testing.assert_allclose(_logits(read), _logits(adapted), atol=1e-5)


@pytest.fixture(scope="module")
def quantized(make_bert):
    """Return a classifier with an int8 encoder, and its logits before."""
    bert = make_bert(hidden_size=32, intermediate_size=64)
    classifier = TextClassifier(bert, labels=_LABEL_NAMES)
    before = _logits(classifier)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        classifier.pretrained.encoder.quantize("int8")
    assert not [x for x in caught if "Dense" in str(x.message)]
    return classifier, before


def test_a_quantized_encoder_answers_nearly_the_same(quantized):
    classifier, before = quantized
    layers = dense_layers(classifier.pretrained.encoder)
    assert len(layers) == 4 + 1
    assert {layer.kernel.dtype for layer in layers} == {"int8"}
    for _ in range(65):
        logits = _logits(classifier)
    error = np.abs(logits - before).max()
    assert 0 < error < 0.1 * np.abs(before).max()
    expected = classifier.model(classifier.preprocess(_TEXTS))["logits"]
    np.testing.assert_allclose(logits, expected, atol=1e-4)


@pytest.mark.parametrize("way", ["save", "export_saved_model", "export_tflite"])
def test_a_quantized_task_is_not_written(quantized, tmp_path, way):
    classifier, _ = quantized
    with pytest.raises(ValueError, match="quantized model cannot be saved"):
        getattr(classifier, way)(tmp_path / "x.tflite")
    assert [*tmp_path.iterdir()] == []


def test_layers_of_keras_itself_keep_their_adapters_merged(make_bert, tmp_path):
    """Use the logits of a head, a `keras.layers.Dense`."""
    classifier = TextClassifier(make_bert(), labels=_LABEL_NAMES)
    classifier._last_layer.logits.enable_lora(2, b_initializer="normal")
    assert type(classifier._last_layer.logits) is keras.layers.Dense
    classifier.save(tmp_path / "x")
    read = TextClassifier.from_pretrained(tmp_path / "x")
    np.testing.assert_allclose(_logits(read), _logits(classifier), atol=1e-5)
