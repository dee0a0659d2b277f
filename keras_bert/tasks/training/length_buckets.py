"""Batches of texts with similar lengths, to reduce padding."""

import numpy as np

# Number of batches that are sorted by length together. A larger number reduces
# padding; a smaller one makes the batches of an epoch more random.
_BATCHES_SORTED_TOGETHER = 50


def length_buckets(lengths, max_tokens):
    """Group texts into batches of limited size, longest texts first.

    Args:
        lengths: int array `(num_texts,)`.
        max_tokens: int, maximum number of tokens in a batch, including
            padding. A longer text gets its own batch.

    Returns:
        A list of int arrays, the indices of each batch. Each text is in
        exactly one batch; lengths are in descending order.
    """
    order = np.argsort(-lengths, kind="stable")
    buckets, start = [], 0
    while start < len(order):
        size = max(1, max_tokens // lengths[order[start]])
        buckets.append(order[start : start + size])
        start += size
    return buckets


def training_buckets(lengths, batch_size, seed, epoch):
    """Group texts into shuffled batches of similar length.

    The shuffled texts are split into groups of several batches. Each group is
    sorted by length, and all batches are shuffled. One batch may be smaller.

    Args:
        lengths: int array `(num_texts,)`.
        batch_size: int.
        seed: int.
        epoch: int, epoch number. Each epoch has a different order.

    Returns:
        A list of int arrays, the indices of each batch. Each text is in
        exactly one batch.
    """
    random = np.random.default_rng([seed, epoch])
    order = random.permutation(len(lengths))
    batches = []
    group_size = batch_size * _BATCHES_SORTED_TOGETHER
    for start in range(0, len(order), group_size):
        group = order[start : start + group_size]
        group = group[np.argsort(-lengths[group], kind="stable")]
        batches += [
            group[at : at + batch_size]
            for at in range(0, len(group), batch_size)
        ]
    return [batches[index] for index in random.permutation(len(batches))]
