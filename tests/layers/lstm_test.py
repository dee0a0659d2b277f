import keras
import numpy as np
import pytest

from keras_bert.layers import LSTM

_RANDOM = np.random.default_rng(0)
_VECTORS = _RANDOM.normal(size=(3, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0]], "bool")


def _values(tensor):
    return keras.ops.convert_to_numpy(tensor)


def test_at_first_only_the_gate_that_forgets_has_a_bias():
    layer = LSTM(2)
    layer.build(_VECTORS.shape)
    bias = _values(layer.gates.bias)
    np.testing.assert_array_equal(bias, [0, 0, 1, 1, 0, 0, 0, 0])


@pytest.mark.parametrize("go_backwards", [False, True])
@pytest.mark.parametrize("return_sequences", [False, True])
def test_it_is_the_lstm_of_keras(return_sequences, go_backwards):
    arguments = {
        "return_sequences": return_sequences,
        "go_backwards": go_backwards,
    }
    ours, keras_layer = LSTM(4, **arguments), keras.layers.LSTM(4, **arguments)
    for layer in (ours, keras_layer):
        layer.build(_VECTORS.shape)
    weights = [0.3 * _RANDOM.normal(size=w.shape) for w in ours.get_weights()]
    ours.set_weights(weights)
    kernel, bias, recurrent_kernel = weights
    keras_layer.set_weights([kernel, recurrent_kernel, bias])
    expected = _values(keras_layer(_VECTORS, mask=_MASK))
    found = _values(ours(_VECTORS, mask=_MASK))
    if return_sequences:
        # Keras's backward LSTM returns its outputs from the end.
        expected = expected[:, ::-1] if go_backwards else expected
        expected, found = expected[_MASK], found[_MASK]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_cells_are_summed_in_float32():
    layer, mixed = LSTM(4), LSTM(4, dtype="mixed_bfloat16")
    for each in (layer, mixed):
        each.build(_VECTORS.shape)
    mixed.set_weights(layer.get_weights())
    found, expected = (_values(each(_VECTORS)) for each in (mixed, layer))
    np.testing.assert_allclose(
        found.astype("float32"), expected, rtol=0.01, atol=0.01
    )
    assert mixed.rnn.cell.compute_dtype == "float32"
