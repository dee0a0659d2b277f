import keras
import numpy as np

from keras_bert.layers import NSPHead

_POOLED = np.random.default_rng(0).normal(size=(3, 8)).astype("float32")


def test_logits_are_a_product_and_a_bias():
    head = NSPHead()
    head.build((None, 8))
    kernel = np.random.default_rng(1).normal(size=(8, 2))
    bias = np.array([0.5, -0.25])
    head.set_weights([kernel, bias])
    np.testing.assert_allclose(
        keras.ops.convert_to_numpy(head(_POOLED)),
        _POOLED @ kernel + bias,
        atol=1e-5,
    )


def test_logits_are_computed_in_float32():
    """In bfloat16 1 + 1/1024 would be 1."""
    head = NSPHead(dtype="mixed_bfloat16")
    head.build((None, 8))
    head.set_weights([np.full((8, 2), 0.125 + 0.125 / 1024), np.zeros(2)])
    logits = head(keras.ops.ones((1, 8), "bfloat16"))
    assert logits.dtype == "float32"
    np.testing.assert_allclose(logits, 1.0 + 1.0 / 1024, atol=1e-6)
