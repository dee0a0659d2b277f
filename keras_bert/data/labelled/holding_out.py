"""Examples that are held out where there is no dev split."""

import numpy as np
from absl import logging

_SHARE = 0.1


def held_out(count, seed):
    """Divides examples into those to learn from and those to choose by.

    Args:
        count: int, how many there are.
        seed: int, of which ones.

    Returns:
        Two lists of int, indices in order; the second are a tenth, at least
        one.

    Raises:
        ValueError: there is only one.
    """
    if count < 2:
        raise ValueError(
            "There must be two examples or more to learn from, of SQuAD two "
            "contexts, so that one can be held out to choose by; or give "
            f"--dev_file. Received: {count}."
        )
    order = np.random.default_rng(seed).permutation(count)
    num_held = max(1, int(count * _SHARE))
    logging.info(
        "There is no dev split: %d of %d examples are held out to choose by.",
        num_held,
        count,
    )
    return sorted(order[num_held:].tolist()), sorted(order[:num_held].tolist())
