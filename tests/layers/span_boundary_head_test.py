import math

import numpy as np

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import SpanBoundaryHead

_erf = np.vectorize(math.erf)


def _block(dense, x):
    gain, offset = dense.layer_norm.get_weights()
    x = x @ np.asarray(dense.kernel) + np.asarray(dense.bias)
    x = 0.5 * x * (1 + _erf(x / math.sqrt(2)))
    return (
        gain * (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
        + offset
    )


def test_logits_are_those_of_the_equation():
    head = SpanBoundaryHead(BertEmbeddings(30, 8, 16), 4, 6)
    head.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in head.weights:
        center = float(weight.name == "gamma")
        weight.assign(random.normal(center, 1.0, weight.shape))
    states = random.normal(size=(2, 7, 8))
    boundaries = random.integers(0, 7, (2, 5, 2))
    places = random.integers(0, 4, (2, 5))
    rows = np.arange(2)[:, None]
    x = np.concatenate(
        [
            states[rows, boundaries[..., 0]],
            states[rows, boundaries[..., 1]],
            np.asarray(head.position_embeddings)[places],
        ],
        axis=-1,
    )
    x = _block(head.second_transform, _block(head.transform, x))
    table = np.asarray(head.embeddings.word_embeddings)
    expected = x @ table.T + np.asarray(head.output_bias)
    logits = head(states.astype("float32"), boundaries, places)
    np.testing.assert_allclose(logits, expected, atol=1e-4)
    assert np.abs(expected).max() > 5


def test_the_head_has_the_weights_of_the_paper():
    embeddings = BertEmbeddings(28_996, 768, 1)
    head = SpanBoundaryHead(embeddings)
    head.build((None, None, 768))
    own = head.count_params() - embeddings.count_params()
    assert own == 1_959_676
