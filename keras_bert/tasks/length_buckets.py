"""Texts of about one length go together, so that little is padding."""

import numpy as np


def length_buckets(lengths, max_tokens):
    """Divides texts into batches, the longest texts first.

    Args:
        lengths: int array `(num_texts,)`.
        max_tokens: int, most tokens of a batch, padding included. A text
            that is longer is a batch of its own.

    Returns:
        A list of int arrays, the indices of each batch. Their lengths do not
        increase, and each text is in one batch.
    """
    order = np.argsort(-lengths, kind="stable")
    buckets, start = [], 0
    while start < len(order):
        size = max(1, max_tokens // lengths[order[start]])
        buckets.append(order[start : start + size])
        start += size
    return buckets
