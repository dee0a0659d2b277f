import keras
import numpy as np

from keras_bert.layers import CharacterEmbeddings

_SIZES = {
    "num_characters": 9,
    "character_size": 3,
    "filters": ((1, 2), (3, 4)),
    "num_highways": 1,
    "output_size": 5,
}
_CHARACTERS = np.random.default_rng(0).integers(0, 10, (2, 3, 6), np.int32)


def _vectors(layer, characters):
    return keras.ops.convert_to_numpy(layer(characters))


def _drawn():
    layer = CharacterEmbeddings(**_SIZES)
    layer.build(_CHARACTERS.shape)
    random = np.random.default_rng(1)
    layer.set_weights(
        [random.normal(scale=0.5, size=w.shape) for w in layer.weights]
    )
    return layer


def test_a_filter_sees_the_padding_as_a_vector_of_zeros():
    layer = CharacterEmbeddings(**{**_SIZES, "num_highways": 0})
    layer.build(_CHARACTERS.shape)
    table = np.full((9, 3), -1.0)
    ones = [np.ones(w.shape) for w in layer.weights[1:]]
    layer.set_weights([table, *ones])
    # Without padding, each filter is below 0 before its bias of 1.
    word, padded = np.array([[[1, 2, 3, 4]], [[1, 2, 3, 0]]], np.int32)
    found = _vectors(layer, np.stack([word, padded]))
    # At the padding, filters of width 1 return 0.
    np.testing.assert_array_equal(found[:, 0, 0], [1.0, 1.0 + 2 * 1.0])


def test_words_do_not_see_each_other():
    layer = _drawn()
    whole = _vectors(layer, _CHARACTERS)
    part = _vectors(layer, _CHARACTERS[1:, 1:2])
    np.testing.assert_allclose(whole[1:, 1:2], part, atol=1e-6)


def test_a_highway_that_carries_nothing_lets_words_through():
    """A gate of 0 passes the filter outputs unchanged."""
    layer = _drawn()
    plain = CharacterEmbeddings(**{**_SIZES, "num_highways": 0})
    plain.build(_CHARACTERS.shape)
    _, carry = layer.highways
    carry.set_weights([np.zeros(carry.kernel.shape), np.full(6, -1e3)])
    weights = {w.path.split("/", 1)[1]: w for w in layer.weights}
    for weight in plain.weights:
        weight.assign(weights[weight.path.split("/", 1)[1]])
    np.testing.assert_allclose(
        _vectors(layer, _CHARACTERS), _vectors(plain, _CHARACTERS), atol=1e-6
    )
