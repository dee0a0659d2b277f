import numpy as np

from keras_bert.layers import LayerNorm
from keras_bert.layers import UnshiftedLayerNorm

_INPUTS = np.random.default_rng(0).normal(1.0, 3.0, (4, 5, 8)).astype("float32")


def test_layer(run_layer_test):
    run_layer_test(
        UnshiftedLayerNorm, {"epsilon": 1e-3}, {"inputs": _INPUTS}, 1
    )


def test_it_is_layer_norm_with_offset_0():
    ours, theirs = UnshiftedLayerNorm(1e-5), LayerNorm(1e-5)
    ours.build(_INPUTS.shape)
    theirs.build(_INPUTS.shape)
    gamma = np.random.default_rng(1).normal(size=8)
    ours.set_weights([gamma])
    theirs.set_weights([gamma, np.zeros(8)])
    np.testing.assert_array_equal(ours(_INPUTS), theirs(_INPUTS))
