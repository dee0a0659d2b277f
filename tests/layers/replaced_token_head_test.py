import math

import keras
import numpy as np

from keras_bert.layers import NormedReplacedTokenHead
from keras_bert.layers import ReplacedTokenHead

_STATES = np.random.default_rng(0).normal(size=(2, 5, 8)).astype("float32")


def test_each_token_has_a_logit_of_its_own_vector():
    head = ReplacedTokenHead(8, activation="relu")
    head.build(_STATES.shape)
    random = np.random.default_rng(1)
    weights = [random.normal(size=w.shape) for w in head.weights]
    head.set_weights(weights)
    kernel, bias, last_kernel, last_bias = weights
    hidden = np.maximum(_STATES @ kernel + bias, 0)
    expected = (hidden @ last_kernel)[..., 0] + last_bias
    np.testing.assert_allclose(head(_STATES), expected, atol=1e-5)
    assert [w.path.partition("/")[2] for w in head.weights] == [
        *("dense/kernel", "dense/bias", "logits/kernel", "logits/bias")
    ]


def test_logits_are_computed_in_float32():
    """In bfloat16 1 + 1/1024 would be 1."""
    head = ReplacedTokenHead(8, activation="linear", dtype="mixed_bfloat16")
    head.build((1, 1, 8))
    last = np.full((8, 1), 0.125 + 0.125 / 1024)
    head.set_weights([np.eye(8), np.zeros(8), last, np.zeros(1)])
    logits = head(keras.ops.ones((1, 1, 8), "bfloat16"))
    np.testing.assert_allclose(logits, [[1.0 + 1.0 / 1024]], atol=1e-6)


def test_the_first_token_is_added_and_the_sum_normalized():
    head = NormedReplacedTokenHead(8, layer_norm_epsilon=1e-7)
    head.build(_STATES.shape)
    random = np.random.default_rng(1)
    head.set_weights([random.normal(size=w.shape) for w in head.weights])
    own = {w.path.partition("/")[2]: np.asarray(w) for w in head.weights}
    sums = _STATES[:, :1] + _STATES
    sums -= sums.mean(-1, keepdims=True)
    sums /= np.sqrt((sums**2).mean(-1, keepdims=True) + 1e-7)
    normed = sums * own["layer_norm/gamma"] + own["layer_norm/beta"]
    hidden = normed @ own["dense/kernel"] + own["dense/bias"]
    hidden *= 0.5 * (1 + np.vectorize(math.erf)(hidden / math.sqrt(2)))
    expected = (hidden @ own["logits/kernel"])[..., 0] + own["logits/bias"]
    np.testing.assert_allclose(head(_STATES), expected, atol=1e-4)
