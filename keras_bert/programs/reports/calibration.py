"""Probabilities beside the share of answers that are right."""

import numpy as np

_BINS = 10


def calibration(confidences, is_right):
    """Compares probabilities with how often they come true.

    Args:
        confidences: float array `(num_examples,)`, the probability of each
            answer, from 0 to 1.
        is_right: bool array `(num_examples,)`.

    Returns:
        A dict for JSON: `bins`, a list of dicts of `confidence`, the mean,
        `accuracy` and `count`, one for each tenth of the range that any
        answer falls into; and `expected_error`, the mean over all examples of
        the distance between the two.

    References:
        [Guo et al.](https://arxiv.org/abs/1706.04599), section 2
    """
    confidences, is_right = np.asarray(confidences), np.asarray(is_right)
    places = np.minimum((confidences * _BINS).astype(int), _BINS - 1)
    bins = [
        {
            "confidence": float(confidences[places == place].mean()),
            "accuracy": float(is_right[places == place].mean()),
            "count": int((places == place).sum()),
        }
        for place in np.unique(places)
    ]
    error = sum(x["count"] * abs(x["confidence"] - x["accuracy"]) for x in bins)
    return {"bins": bins, "expected_error": error / len(confidences)}
