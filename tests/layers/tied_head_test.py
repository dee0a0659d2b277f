import numpy as np

from keras_bert.layers import FlatDense
from keras_bert.layers import TiedHead
from keras_bert.layers import TokenEmbeddings

_RANDOM = np.random.default_rng(0)
_STATES = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
_POSITIONS = np.array([[4, 0], [1, 1]], "int32")


def arguments(width=6):
    return {
        "embeddings": TokenEmbeddings(30, width, 16, name="embeddings"),
        "transform": FlatDense(width, name="transform"),
    }


def test_logits_are_products_with_the_table():
    head = TiedHead(**arguments())
    logits = head(_STATES, _POSITIONS)
    head.output_bias.assign(_RANDOM.normal(size=30))
    rows = np.take_along_axis(_STATES, _POSITIONS[:, :, None], axis=1)
    vectors = np.asarray(head.transform(rows))
    expected = vectors @ np.asarray(head.embeddings.word_embeddings).T
    np.testing.assert_allclose(logits, expected, atol=1e-5)
    np.testing.assert_allclose(
        head(_STATES, _POSITIONS),
        expected + np.asarray(head.output_bias),
        atol=1e-5,
    )
