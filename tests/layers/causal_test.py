import numpy as np

from keras_bert.layers import CausalSelfAttention
from keras_bert.layers import CausalTransformerBlock
from keras_bert.layers import SelfAttention

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")
_SIZES = {"hidden_size": 8, "num_heads": 2}


def test_attention_layer(run_layer_test):
    run_layer_test(
        CausalSelfAttention,
        {**_SIZES, "dropout": 0.0},
        {"inputs": _INPUTS, "attention_mask": _MASK},
        num_weights=4,
    )


def test_block_layer(run_layer_test):
    run_layer_test(
        CausalTransformerBlock,
        {
            **_SIZES,
            "intermediate_size": 16,
            "dropout": 0.0,
            "attention_dropout": 0.0,
        },
        {"inputs": _INPUTS, "attention_mask": _MASK},
        num_weights=12,
    )


def test_a_token_sees_what_a_sequence_that_ends_there_shows():
    causal = CausalSelfAttention(**_SIZES)
    plain = SelfAttention(**_SIZES)
    outputs = np.asarray(causal(_INPUTS))
    plain.build(_INPUTS.shape)
    plain.set_weights(causal.get_weights())
    for length in range(2, 6):
        cut = np.asarray(plain(_INPUTS[:, :length]))
        np.testing.assert_allclose(
            outputs[:, length - 1], cut[:, -1], atol=1e-6
        )


def test_later_tokens_do_not_matter():
    block = CausalTransformerBlock(intermediate_size=16, **_SIZES)
    changed = _INPUTS.copy()
    changed[:, 3:] += 1.0
    before, after = (np.asarray(block(x)) for x in (_INPUTS, changed))
    np.testing.assert_allclose(before[:, :3], after[:, :3], atol=1e-6)
    assert np.abs(before[:, 3:] - after[:, 3:]).min() > 0


def test_padding_is_hidden_as_well():
    attention = CausalSelfAttention(**_SIZES)
    mask = np.array([[0, 1, 1, 1, 1]] * 2, "int32")
    changed = _INPUTS.copy()
    changed[:, 0] += 1.0
    before, after = (np.asarray(attention(x, mask)) for x in (_INPUTS, changed))
    np.testing.assert_allclose(before[:, 1:], after[:, 1:], atol=1e-6)


def test_positions_asked_for_are_those_of_the_whole():
    block = CausalTransformerBlock(intermediate_size=16, **_SIZES)
    positions = np.array([[4, 0, 2], [1, 1, 0]], "int32")
    whole = np.asarray(block(_INPUTS, _MASK))
    rows = np.take_along_axis(whole, positions[:, :, None], axis=1)
    np.testing.assert_allclose(
        block(_INPUTS, _MASK, positions), rows, atol=1e-6
    )
