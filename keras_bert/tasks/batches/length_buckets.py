"""Texts of about one length go together, so that little is padding."""

import numpy as np

# Texts are sorted by length within so many batches: enough that little is
# padding, few enough that batches differ from pass to pass.
_BATCHES_SORTED_TOGETHER = 50


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


def training_buckets(lengths, batch_size, seed, epoch):
    """Divides texts into batches of one size, in random order.

    A random order is cut into groups of some batches; within a group, texts
    go together by length; the batches then come in random order. The smaller
    last batch, if there is one, comes anywhere.

    Args:
        lengths: int array `(num_texts,)`.
        batch_size: int.
        seed: int.
        epoch: int, the pass over the texts, which has an order of its own.

    Returns:
        A list of int arrays, the indices of each batch. Each text is in one.
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
