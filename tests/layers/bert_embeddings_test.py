import keras
import numpy as np

from keras_bert.layers import BertEmbeddings
from keras_bert.layers import BigBirdEmbeddings

_IDS = np.array([[2, 7, 29, 3, 0], [2, 9, 3, 0, 0]], "int32")
_SEGMENTS = np.array([[0, 0, 1, 1, 0], [0, 0, 0, 0, 0]], "int32")
_ARGUMENTS = {"vocab_size": 30, "hidden_size": 8, "max_position_embeddings": 16}


def make_embeddings(**arguments):
    """Return embeddings with random weights, including gain and offset."""
    embeddings = BertEmbeddings(**_ARGUMENTS, **arguments)
    embeddings.build((None, None))
    random = np.random.default_rng(1)
    for weight in embeddings.weights:
        weight.assign(random.normal(0.5, 0.5, weight.shape))
    return embeddings


def call(embeddings, ids, segments, **arguments):
    output = embeddings(ids, segments, **arguments)
    return keras.ops.convert_to_numpy(keras.ops.cast(output, "float32"))


def test_output_is_the_normalized_sum():
    embeddings = make_embeddings()
    words, positions, segments, gain, offset = embeddings.get_weights()
    summed = words[_IDS] + positions[None, :5] + segments[_SEGMENTS]
    mean = summed.mean(axis=-1, keepdims=True)
    deviation = np.sqrt(((summed - mean) ** 2).mean(axis=-1, keepdims=True))
    np.testing.assert_allclose(
        call(embeddings, _IDS, _SEGMENTS),
        (summed - mean) / deviation * gain + offset,
        atol=1e-5,
    )


def test_weights_start_at_the_deviation_of_the_initializer():
    embeddings = BertEmbeddings(1000, 64)
    embeddings.build((None, None))
    for table in embeddings.get_weights()[:2]:
        # Truncation at two deviations reduces it by 12 %.
        assert 0.017 < table.std() < 0.018
        assert np.abs(table).max() <= 0.04


def test_normalization_is_computed_in_float32():
    """In bfloat16 an offset of -1.001 would be -1, and the sum 0."""
    embeddings = make_embeddings(dtype="mixed_bfloat16")
    row = np.array([1, -1, 1, -1, 1, -1, 1, -1], "float32")
    embeddings.set_weights(
        [
            np.tile(row, (30, 1)),
            np.zeros((16, 8)),
            np.zeros((2, 8)),
            np.ones(8),
            np.full(8, -1.001),
        ]
    )
    output = call(embeddings, _IDS, _SEGMENTS)
    np.testing.assert_allclose(output[:, :, ::2], -0.001, rtol=0.01)


def test_the_sum_is_computed_in_float32():
    """In bfloat16 256 + 1 would be 256."""
    embeddings = make_embeddings(dtype="mixed_bfloat16")
    words = np.zeros((30, 8))
    words[:, :4] = 256.0
    positions = np.zeros((16, 8))
    positions[:, ::2] = 1.0
    embeddings.set_weights(
        [words, positions, np.zeros((2, 8)), np.ones(8) * 64, np.zeros(8)]
    )
    first, second = call(embeddings, _IDS, _SEGMENTS)[0, 0, :2]
    assert first > second


def test_dropout_is_for_training_alone():
    embeddings = make_embeddings(dropout=0.5)
    expected = call(embeddings, _IDS, _SEGMENTS)
    assert (expected != 0).all()
    dropped = call(embeddings, _IDS, _SEGMENTS, training=True)
    kept = dropped != 0
    assert 0 < kept.mean() < 1
    np.testing.assert_allclose(dropped[kept], 2 * expected[kept], rtol=1e-6)


def test_bigbird_normalizes_after_the_dropout():
    embeddings = BigBirdEmbeddings(**_ARGUMENTS, dropout=0.5)
    plain = BertEmbeddings(**_ARGUMENTS)
    embeddings.build((None, None))
    plain.build((None, None))
    plain.set_weights(embeddings.get_weights())
    expected, found = (
        call(layer, _IDS, _SEGMENTS) for layer in (plain, embeddings)
    )
    np.testing.assert_array_equal(found, expected)
    dropped = call(embeddings, _IDS, _SEGMENTS, training=True)
    assert np.abs(dropped - found).max() > 0.1
    np.testing.assert_allclose(dropped.mean(axis=-1), 0.0, atol=1e-6)
    np.testing.assert_allclose(dropped.std(axis=-1), 1.0, atol=1e-3)


def test_summands_are_the_rows_of_the_tables():
    embeddings = make_embeddings()
    words, positions, segments, _, _ = embeddings.get_weights()
    found = embeddings.summands(_IDS, _SEGMENTS)
    np.testing.assert_array_equal(found["word"], words[_IDS])
    np.testing.assert_array_equal(found["segment"], segments[_SEGMENTS])
    for row in np.asarray(found["position"]):
        np.testing.assert_array_equal(row, positions[:5])
