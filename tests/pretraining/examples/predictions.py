"""Check of the predictions of all kinds of masking."""

import numpy as np


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
