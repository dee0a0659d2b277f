import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.losses.cross_entropy import SpanCrossEntropy
from keras_bert.losses.cross_entropy import sparse_cross_entropy

_RANDOM = np.random.default_rng(0)
_LOGITS = _RANDOM.normal(scale=3, size=(4, 3, 30)).astype("float32")
_LABELS = _RANDOM.integers(0, 30, (4, 3))
_UPSTREAM = _RANDOM.normal(size=(4, 3)).astype("float32")


def log_softmax(logits):
    logits = logits.astype("float64")
    logits = logits - logits.max(axis=-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))


def losses_and_gradient(labels, logits, upstream=1.0):
    with tf.GradientTape() as tape:
        tape.watch(logits)
        losses = sparse_cross_entropy(labels, logits)
        total = tf.reduce_sum(losses * upstream)
    return losses, tape.gradient(total, logits)


@pytest.mark.parametrize("scale", [1, 1000])
def test_gradient_is_the_softmax_less_the_label(scale):
    logits = _LOGITS * np.float32(scale)
    losses, gradient = losses_and_gradient(
        _LABELS, tf.constant(logits), _UPSTREAM
    )
    logarithms = log_softmax(logits)
    chosen = np.take_along_axis(logarithms, _LABELS[..., None], axis=-1)
    np.testing.assert_allclose(losses, -chosen[..., 0], rtol=1e-6, atol=1e-6)
    expected = np.exp(logarithms) - np.eye(30)[_LABELS]
    expected *= _UPSTREAM[..., None]
    np.testing.assert_allclose(gradient, expected, atol=1e-6)


@pytest.mark.parametrize("label", [-1, 30])
@pytest.mark.parametrize("jit_compile", [False, True])
def test_a_label_that_is_no_class_is_not_a_number(label, jit_compile):
    """Check that such a label does not train silently."""
    function = tf.function(losses_and_gradient, jit_compile=jit_compile)
    losses, gradient = function(tf.constant([label, 2]), tf.zeros((2, 30)))
    assert np.isnan(losses).tolist() == [True, False]
    assert np.isnan(gradient).all(axis=-1).tolist() == [True, False]


def test_logits_that_are_not_finite_are_not_hidden():
    logits = _LOGITS.copy()
    logits[0, 0, 3] = np.nan
    losses, gradient = losses_and_gradient(_LABELS, tf.constant(logits))
    assert np.isnan(losses[0, 0]) and np.isfinite(losses[1:]).all()
    assert np.isnan(gradient[0, 0]).any()


def test_bfloat16_logits_have_a_float32_loss_and_a_bfloat16_gradient():
    logits = tf.cast(_LOGITS, tf.bfloat16)
    losses, gradient = losses_and_gradient(_LABELS, logits)
    assert losses.dtype == "float32"
    assert gradient.dtype == "bfloat16"


def _loss(targets, logits, **kwargs):
    loss = SpanCrossEntropy(reduction=None, **kwargs)
    return np.asarray(loss(np.array(targets), np.array(logits, np.float32)))


@pytest.mark.parametrize("smoothing", [0.0, 0.3])
@pytest.mark.parametrize("padding", [[], [[5, 9], [900, 7]]])
def test_span_loss_is_the_mean_over_both_ends_of_the_text(padding, smoothing):
    ends = np.array([[2, 1, 1], [1, 2, 3]])
    logarithms = np.log(ends / ends.sum(axis=1, keepdims=True))
    chosen = logarithms[[0, 1], [1, 2]].mean()
    expected = (1 - smoothing) * chosen + smoothing * logarithms.mean()
    logits = np.log([[*ends.T, *padding]])
    found = _loss([[1, 2, 3]], logits, label_smoothing=smoothing)
    np.testing.assert_allclose(found, [-expected], rtol=1e-6)


def test_spans_of_weight_0_do_not_count():
    targets = np.array([[0, 0, 2], [1, 1, 2]])
    logits = np.random.default_rng(0).normal(size=(2, 2, 2))
    loss = SpanCrossEntropy(reduction="mean_with_sample_weight")
    found = loss(targets, logits, np.array([0.0, 1.0]))
    expected = _loss(targets[1:], logits[1:])[0]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_span_loss_is_saved_with_its_smoothing():
    loss = SpanCrossEntropy(0.3, reduction=None)
    again = keras.losses.deserialize(keras.losses.serialize(loss))
    assert again.label_smoothing == 0.3
    assert again.get_config() == loss.get_config()
