"""A batch of pre-training for measurements: NumPy alone, so peers take it."""

import numpy as np

NUM_PREDICTIONS = 20
_FIRST_ID = 100  # Those before are no words.


def make_batch(vocab_size, batch_size, seq_length):
    """Random ids without padding, and the positions to predict.

    Args:
        vocab_size: int.
        batch_size: int.
        seq_length: int.

    Returns:
        Dicts of arrays: the inputs of `bert_pretrainer`, its labels and their
        weights.
    """
    random = np.random.default_rng(0)
    shape = batch_size, seq_length
    ids = random.integers(_FIRST_ID, vocab_size, shape, np.int32)
    positions = np.argsort(random.random(shape))[:, :NUM_PREDICTIONS]
    positions = np.sort(positions).astype(np.int32)
    inputs = {
        "input_ids": ids,
        "input_mask": np.ones(shape, np.int32),
        "segment_ids": np.tile(
            np.arange(seq_length) * 2 // seq_length, (batch_size, 1)
        ).astype(np.int32),
        "masked_lm_positions": positions,
    }
    labels = {
        "mlm_logits": np.take_along_axis(ids, positions, axis=1),
        "nsp_logits": random.integers(0, 2, batch_size, np.int32),
    }
    weights = {
        name: np.ones(values.shape, np.float32)
        for name, values in labels.items()
    }
    return inputs, labels, weights
