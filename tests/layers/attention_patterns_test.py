import numpy as np

from keras_bert.layers import SelfAttention
from keras_bert.layers import TransformerEncoderBlock
from keras_bert.layers import Window
from keras_bert.layers import causal

_RANDOM = np.random.default_rng(0)
_INPUTS = _RANDOM.normal(size=(2, 5, 8)).astype("float32")
_MASK = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], "int32")
_SIZES = {"hidden_size": 8, "num_heads": 2}


def test_a_token_sees_what_a_sequence_that_ends_there_shows():
    attention = SelfAttention(**_SIZES, pattern=causal)
    plain = SelfAttention(**_SIZES)
    outputs = np.asarray(attention(_INPUTS))
    plain.build(_INPUTS.shape)
    plain.set_weights(attention.get_weights())
    for length in range(2, 6):
        cut = np.asarray(plain(_INPUTS[:, :length]))
        np.testing.assert_allclose(
            outputs[:, length - 1], cut[:, -1], atol=1e-6
        )


def test_later_tokens_do_not_matter():
    block = TransformerEncoderBlock(
        intermediate_size=16, **_SIZES, pattern=causal
    )
    changed = _INPUTS.copy()
    changed[:, 3:] += 1.0
    before, after = (np.asarray(block(x)) for x in (_INPUTS, changed))
    np.testing.assert_allclose(before[:, :3], after[:, :3], atol=1e-6)
    assert np.abs(before[:, 3:] - after[:, 3:]).min() > 0


def test_padding_is_hidden_as_well():
    attention = SelfAttention(**_SIZES, pattern=causal)
    mask = np.array([[0, 1, 1, 1, 1]] * 2, "int32")
    changed = _INPUTS.copy()
    changed[:, 0] += 1.0
    before, after = (np.asarray(attention(x, mask)) for x in (_INPUTS, changed))
    np.testing.assert_allclose(before[:, 1:], after[:, 1:], atol=1e-6)


def test_positions_asked_for_are_those_of_the_whole():
    block = TransformerEncoderBlock(
        intermediate_size=16, **_SIZES, pattern=causal
    )
    positions = np.array([[4, 0, 2], [1, 1, 0]], "int32")
    whole = np.asarray(block(_INPUTS, _MASK))
    rows = np.take_along_axis(whole, positions[:, :, None], axis=1)
    np.testing.assert_allclose(
        block(_INPUTS, _MASK, positions), rows, atol=1e-6
    )


def test_a_window_ends_at_its_reach_on_both_sides():
    positions = np.arange(300)
    attended = np.asarray(Window(64)(positions[:, None], positions))
    assert attended[150].sum() == 129
    assert attended[150, [86, 214]].all()
    assert not attended[150, [85, 215]].any()
    assert attended[0].sum() == 65
