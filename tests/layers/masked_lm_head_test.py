import math

import keras
import numpy as np

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import MaskedLMHead

_RANDOM = np.random.default_rng(0)
_SEQUENCE = _RANDOM.normal(size=(3, 5, 8)).astype("float32")
_POSITIONS = np.array([[1, 4], [3, 0], [2, 2]], "int32")


def make_head(dtype="float32", **arguments):
    """Return a head with random weights."""
    embeddings = BertEmbeddings(30, 8, 16, dtype=dtype)
    head = MaskedLMHead(embeddings, dtype=dtype, **arguments)
    head.build((None, None, 8))
    random = np.random.default_rng(1)
    for weight in head.weights:
        center = float(weight.name == "gamma")
        weight.assign(random.normal(center, 0.3, weight.shape))
    return head


def call(head, sequence, positions=None):
    return keras.ops.convert_to_numpy(head(sequence, positions))


def numpy_head(head, sequence, positions):
    gathered = np.stack(
        [row[chosen] for row, chosen in zip(sequence, positions, strict=True)]
    )
    kernel, bias = head.transform.get_weights()
    x = gathered @ kernel + bias
    cubic = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x**3)
    x = 0.5 * x * (1.0 + np.tanh(cubic))
    gain, offset = head.layer_norm.get_weights()
    x = (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True)
    table = np.asarray(head.embeddings.word_embeddings)
    return (x * gain + offset) @ table.T + np.asarray(head.output_bias)


def test_logits_are_those_of_the_equation():
    head = make_head()
    np.testing.assert_allclose(
        call(head, _SEQUENCE, _POSITIONS),
        numpy_head(head, _SEQUENCE, _POSITIONS),
        atol=1e-5,
    )


def test_the_positions_asked_for_are_scored():
    head = make_head()
    everywhere = np.tile(np.arange(5, dtype="int32"), (3, 1))
    all_logits = call(head, _SEQUENCE, everywhere)
    logits = call(head, _SEQUENCE, _POSITIONS)
    for row, positions in enumerate(_POSITIONS):
        for column, position in enumerate(positions):
            np.testing.assert_allclose(
                logits[row, column], all_logits[row, position], atol=1e-6
            )
    assert np.abs(logits[0, 0] - logits[0, 1]).max() > 0.1


def test_the_table_is_that_of_the_embeddings():
    head = make_head()
    table = head.embeddings.word_embeddings
    assert sum(weight is table for weight in head.weights) == 1
    assert not [
        weight
        for weight in head.weights
        if tuple(weight.shape) == (30, 8) and weight is not table
    ]
    before = call(head, _SEQUENCE, _POSITIONS)
    rows = np.asarray(table).copy()
    rows[7] += 1.0
    table.assign(rows)
    changed = call(head, _SEQUENCE, _POSITIONS) != before
    assert changed[..., 7].all()
    assert not changed[..., :7].any() and not changed[..., 8:].any()


def test_without_positions_every_position_is_predicted():
    head = make_head()
    positions = np.tile(np.arange(5, dtype="int32"), (3, 1))
    np.testing.assert_array_equal(
        call(head, _SEQUENCE), call(head, _SEQUENCE, positions)
    )
    symbolic = head(keras.Input((None, 8)))
    assert symbolic.shape == (None, None, 30)


def test_normalization_is_computed_in_float32():
    """In bfloat16 an offset of -1.001 would be -1, and the logit 0."""
    head = make_head(dtype="mixed_bfloat16", activation="linear")
    head.transform.set_weights([np.eye(8), np.zeros(8)])
    head.layer_norm.set_weights([np.ones(8), np.full(8, -1.001)])
    head.embeddings.word_embeddings.assign(np.eye(30, 8))
    head.output_bias.assign(np.zeros(30))
    row = np.array([1, -1, 1, -1, 1, -1, 1, -1], "float32")
    logits = call(head, np.tile(row, (3, 5, 1)), _POSITIONS)
    np.testing.assert_allclose(logits[..., 0], -0.001, rtol=0.01)


def test_the_bias_is_added_in_float32():
    """In bfloat16 1 + 1/1024 would be 1."""
    head = make_head(dtype="mixed_bfloat16")
    head.embeddings.word_embeddings.assign(np.zeros((30, 8)))
    head.output_bias.assign(np.full(30, 1.0 + 1.0 / 1024))
    np.testing.assert_array_equal(
        call(head, _SEQUENCE, _POSITIONS), np.float32(1.0 + 1.0 / 1024)
    )
