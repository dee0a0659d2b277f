import keras
import numpy as np
import pytest

from keras_bert.layers import ProjectedLSTMCell

_RANDOM = np.random.default_rng(0)
_VECTORS = _RANDOM.normal(size=(3, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0]], "bool")


def _values(tensors):
    return [keras.ops.convert_to_numpy(x) for x in tensors]


def _drawn(scale=1.0, go_backwards=False, **arguments):
    layer = keras.layers.RNN(
        ProjectedLSTMCell(6, 4, **arguments),
        return_sequences=True,
        return_state=True,
        go_backwards=go_backwards,
    )
    layer.build(_VECTORS.shape)
    random = np.random.default_rng(1)
    layer.set_weights(
        [random.normal(scale=scale, size=w.shape) for w in layer.weights]
    )
    return layer


def test_a_saved_model_has_it_again(tmp_path):
    inputs = keras.Input((None, 8))
    model = keras.Model(inputs, _drawn()(inputs))
    model.save(tmp_path / "model.keras")
    revived = keras.models.load_model(tmp_path / "model.keras")
    assert type(revived.layers[-1].cell) is ProjectedLSTMCell
    for found, expected in zip(
        _values(revived(_VECTORS)), _values(model(_VECTORS)), strict=True
    ):
        np.testing.assert_array_equal(found, expected)


def test_with_the_unit_matrix_and_far_bounds_it_is_an_lstm():
    cell = ProjectedLSTMCell(4, 4, cell_clip=1e3, projection_clip=1e3)
    layer, plain = keras.layers.RNN(cell), keras.layers.LSTM(4)
    for each in (layer, plain):
        each.build(_VECTORS.shape)
    kernel, recurrent, bias = (
        0.3 * _RANDOM.normal(size=w.shape) for w in plain.get_weights()
    )

    def in_order(x):
        enter, stay, new, leave = np.split(x, 4, axis=-1)
        return np.concatenate([enter, new, stay, leave], axis=-1)

    both = np.concatenate([kernel, recurrent])
    layer.set_weights([in_order(both), in_order(bias), np.eye(4)])
    # The forget gate has a fixed bias of 1 in addition to the learned one.
    plain.set_weights([kernel, recurrent, bias + np.repeat([0, 1, 0, 0], 4)])
    found, expected = layer(_VECTORS, mask=_MASK), plain(_VECTORS, mask=_MASK)
    np.testing.assert_allclose(*_values([found, expected]), atol=1e-6)


def test_cell_and_state_stay_within_their_bounds():
    layer = _drawn(scale=3.0, cell_clip=0.7, projection_clip=0.4)
    outputs, state, cell = _values(layer(_VECTORS))
    for values, bound in ((outputs, 0.4), (state, 0.4), (cell, 0.7)):
        assert np.abs(values).max() == np.float32(bound)


@pytest.mark.parametrize("go_backwards", [False, True])
def test_padding_changes_neither_outputs_nor_ends(go_backwards):
    layer = _drawn(go_backwards=go_backwards)
    padded = _values(layer(_VECTORS, mask=_MASK))
    for row, length in enumerate(_MASK.sum(axis=1)):
        alone = _values(layer(_VECTORS[row : row + 1, :length]))
        is_token = _MASK[row, ::-1] if go_backwards else _MASK[row]
        own = [padded[0][row][is_token], padded[1][row], padded[2][row]]
        for found, expected in zip(own, alone, strict=True):
            np.testing.assert_allclose(found, expected[0], atol=1e-6)
