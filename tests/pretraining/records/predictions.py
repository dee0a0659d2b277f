"""Examples and checks of all kinds of masking."""

import numpy as np


def random_examples(num_examples, seq_length=64):
    """Return ids, maskable positions and word starts, with several [SEP].

    The ids of pieces are from 5 to 899. All others are 2.
    """
    rng = np.random.default_rng(1)
    shape, position = (num_examples, seq_length), np.arange(seq_length)
    length = rng.integers(3, seq_length + 1, num_examples)[:, None]
    maskable = (position > 0) & (position < length - 1)
    maskable &= (rng.random(shape) > 0.03) | (position == 1)
    starts = maskable & (rng.random(shape) < 0.6)
    starts |= maskable & ~np.roll(maskable, 1, axis=1)
    ids = np.where(maskable, rng.integers(5, 900, shape), 2)
    return ids.astype(np.int32), maskable, starts


def check_predictions(ids, outputs, chosen):
    """Check that the predictions are the chosen positions, then padding.

    Args:
        ids: original ids, int32 `(batch_size, seq_length)`.
        outputs: masked ids, positions, labels and weights, all arrays.
        chosen: bool, like `ids`.
    """
    masked_ids, positions, labels, weights = outputs
    assert (masked_ids != ids).any()
    assert not (masked_ids != ids)[~chosen].any()
    for row, is_chosen in enumerate(chosen):
        expected = np.flatnonzero(is_chosen)
        padding = [0] * (positions.shape[1] - len(expected))
        assert positions[row].tolist() == [*expected, *padding]
        assert labels[row].tolist() == [*ids[row, expected], *padding]
        assert weights[row].tolist() == [*[1.0] * len(expected), *padding]
