"""Tasks with layers, policies and weights changed through Keras."""

import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.export import export_saved_model
from keras_bert.layers import FlatDense
from keras_bert.tasks import TextClassifier

_TEXTS = ["the dog", "a cat sees", "meat and fish", "seeds", "a bird"] * 2
_LABELS = [0, 0, 1, 1, 0] * 2
_LABEL_NAMES = ["animal", "food"]


def _dense_layers(classifier):
    return [
        layer
        for block in classifier.pretrained.backbone.blocks
        for layer in (
            block.self_attention.query_key_value,
            block.feed_forward.intermediate,
            block.feed_forward.feed_forward_output,
        )
    ]


def _logits(classifier):
    return classifier._logits(classifier._encode(_TEXTS))


def _fit(classifier):
    classifier.fit(
        _TEXTS, _LABELS, epochs=2, batch_size=5, learning_rate=0.02, verbose=0
    )


@pytest.fixture(scope="module")
def adapted(make_bert):
    """Return a classifier with trained adapters, and its initial weights."""
    classifier = TextClassifier(make_bert(), labels=_LABEL_NAMES)
    _logits(classifier)  # Trace the graph without adapters.
    classifier.pretrained.encoder.trainable = False
    for layer in _dense_layers(classifier):
        layer.trainable = True
        layer.enable_lora(2, lora_alpha=3)
    before = {w.path: w.numpy() for w in classifier.model.weights}
    _fit(classifier)
    return classifier, before


def test_only_adapters_their_biases_and_the_head_learn(adapted):
    classifier, before = adapted
    moved = {
        w.path
        for w in classifier.model.weights
        if np.any(w.numpy() != before[w.path])
    }
    biases = {layer.bias.path for layer in _dense_layers(classifier)}
    adapters = {path for path in before if "lora_kernel" in path}
    head = {f"classifier/logits/{name}" for name in ("kernel", "bias")}
    assert len(adapters) == 2 * len(biases)
    assert moved == adapters | biases | head


def test_answers_are_of_the_adapters_traced_or_packed(adapted):
    classifier, _ = adapted
    for _ in range(65):  # In this case, the weights are copied.
        logits = _logits(classifier)
    expected = classifier.model(classifier.preprocess(_TEXTS))["logits"]
    np.testing.assert_allclose(logits, expected, atol=1e-5)
    _fit(classifier)
    changed = classifier.model(classifier.preprocess(_TEXTS))["logits"]
    np.testing.assert_allclose(_logits(classifier), changed, atol=1e-5)
    assert np.abs(changed - expected).max() > 1e-3


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_a_saved_task_has_the_adapters_merged(adapted, tmp_path, format):
    classifier, _ = adapted
    classifier.save(tmp_path / "saved", format=format)
    read = TextClassifier.from_pretrained(tmp_path / "saved")
    np.testing.assert_allclose(_logits(read), _logits(classifier), atol=1e-5)


def test_a_saved_model_has_the_adapters_merged(adapted, tmp_path):
    classifier, _ = adapted
    export_saved_model(classifier, tmp_path)
    served = tf.saved_model.load(str(tmp_path / "1"))
    logits = served.signatures["serving_default"](tf.constant(_TEXTS))["logits"]
    np.testing.assert_allclose(logits, _logits(classifier), atol=1e-5)


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
    layers = [
        layer
        for layer in classifier.pretrained.encoder._flatten_layers()
        if isinstance(layer, FlatDense)
    ]
    assert len(layers) == 4 + 1
    assert {layer.kernel.dtype for layer in layers} == {"int8"}
    for _ in range(65):
        logits = _logits(classifier)
    error = np.abs(logits - before).max()
    assert 0 < error < 0.1 * np.abs(before).max()
    expected = classifier.model(classifier.preprocess(_TEXTS))["logits"]
    np.testing.assert_allclose(logits, expected, atol=1e-4)


@pytest.mark.parametrize("kind", ["save", "saved_model", "tflite"])
def test_a_quantized_task_is_not_written(quantized, tmp_path, kind):
    classifier, _ = quantized
    write = {
        "save": classifier.save,
        "saved_model": classifier.export_saved_model,
        "tflite": lambda path: classifier.export_tflite(f"{path}.tflite"),
    }[kind]
    with pytest.raises(ValueError, match="quantized model cannot be saved"):
        write(tmp_path / "x")
    assert [*tmp_path.iterdir()] == []


def test_layers_of_keras_itself_keep_their_adapters_merged(make_bert, tmp_path):
    """Use the logits of a head, a `keras.layers.Dense`."""
    classifier = TextClassifier(make_bert(), labels=_LABEL_NAMES)
    classifier._last_layer.logits.enable_lora(2, b_initializer="normal")
    assert type(classifier._last_layer.logits) is keras.layers.Dense
    classifier.save(tmp_path / "x")
    read = TextClassifier.from_pretrained(tmp_path / "x")
    np.testing.assert_allclose(_logits(read), _logits(classifier), atol=1e-5)


@pytest.mark.parametrize("policy", ["float16", "bfloat16", "float64"])
def test_a_policy_of_other_weights_is_one_short_error(make_bert, policy):
    keras.config.set_dtype_policy(policy)
    with pytest.raises(ValueError, match=f"float32. Set .* Received: {policy}"):
        make_bert()


def test_class_weights_of_keras_take_targets_without_names(make_bert):
    classifier = TextClassifier(make_bert(), labels=_LABEL_NAMES)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    classifier.model.compile(keras.optimizers.SGD(0.0), loss, jit_compile=False)
    losses = []
    for weight in None, {0: 3.0, 1: 3.0}:
        data = tf.data.Dataset.from_tensor_slices((_TEXTS, _LABELS)).batch(10)
        data = data.map(lambda x, y: (classifier.preprocess(x), y))
        history = classifier.model.fit(
            data, class_weight=weight, shuffle=False, verbose=0
        ).history
        losses += history["loss"]
    assert losses[1] == pytest.approx(3 * losses[0], rel=1e-4)


def test_a_preprocessor_names_the_ways_to_take_symbolic_texts(make_bert):
    classifier = TextClassifier(make_bert(), labels=_LABEL_NAMES)
    with pytest.raises(TypeError, match="Dataset.*text_model.*KerasTensor"):
        classifier.preprocess(keras.Input((), dtype="string"))
