"""Random blocks of BigBird, sampled as in its original implementation."""

import numpy as np

# For these sequence lengths, random blocks are sampled from the first 1,024
# tokens; for all others, from the first `2 * num_random_blocks + 5` blocks.
_EARLY_LENGTHS = 1024, 2048, 3072, 4096
_EARLY_TOKENS = 1024


def uses_early_blocks(length, size, num_random_blocks):
    """Return whether random blocks come from the first 1,024 tokens only.

    Args:
        length: int or int32 scalar tensor, length of the padded sequence.
        size: block size in tokens.
        num_random_blocks: number of random blocks per block of queries.

    Returns:
        bool, or bool scalar tensor. False if 1,024 tokens have too few blocks.
    """
    if _EARLY_TOKENS // size - 4 < num_random_blocks:
        return False
    early, *others = (length == known for known in _EARLY_LENGTHS)
    for other in others:
        early = early | other
    return early


def draw_blocks(seed, num_heads, num_blocks, num_random_blocks):
    """Sample the random blocks of a sequence.

    Some lengths use `draw_early_blocks` instead.

    Args:
        seed: seed of NumPy's legacy generator.
        num_heads: number of attention heads.
        num_blocks: number of blocks in the longest sequence. A shorter sequence
            uses the first of these blocks.
        num_random_blocks: number of random blocks per block of queries.

    Returns:
        int32 `(num_heads, num_blocks - 2, num_random_blocks)`, indices of the
        random blocks for each block of queries except the first and last.
    """
    random, end = np.random.RandomState(seed), 2 * num_random_blocks + 5
    shape = num_blocks - 2, num_heads, num_random_blocks
    drawn = np.zeros(shape, "int32")
    for row in range(1, num_blocks - 1):
        # These blocks are global or in the window of the row.
        excluded = {0, row - 1, row, row + 1, end - 1}
        excluded |= {end - 2} if row == 1 else set()
        excluded |= {1} if row == end - 2 else set()
        for head in range(num_heads):
            # Exclude blocks later: other permutations give other samples.
            order = random.permutation(np.arange(end))
            kept = [block for block in order if block not in excluded]
            drawn[row - 1, head] = kept[:num_random_blocks]
    return drawn.transpose(1, 0, 2)  # [N, M - 2, r]


def draw_early_blocks(seed, num_heads, num_blocks, num_random_blocks, size):
    """Sample the random blocks for sequences of 1,024 to 4,096 tokens.

    These blocks are used for sequences of 1,024, 2,048, 3,072 and 4,096 tokens.
    As in the original, the last block of the sequence is not excluded.

    Args:
        seed, num_heads, num_blocks, num_random_blocks: arguments of
            `draw_blocks`.
        size: block size in tokens.

    Returns:
        int32, see `draw_blocks`.
    """
    random = np.random.RandomState(seed)
    drawn = np.zeros((num_heads, num_blocks - 2, num_random_blocks), "int32")
    is_short = _EARLY_TOKENS <= 2 * size
    last = num_blocks - 1 if is_short else _EARLY_TOKENS // size - 1
    middle = np.arange(1, num_blocks - 1)
    # The order of the loops determines the samples.
    for head in range(num_heads):
        for row in range(1, num_blocks - 1):
            before, after = middle[: max(row - 2, 0)], middle[row + 1 : last]
            kept = np.concatenate([before, after])
            if row >= num_blocks - 3 or row - 2 > last:
                kept = middle[:last]
            order = random.permutation(kept)
            drawn[head, row - 1] = order[:num_random_blocks]
    return drawn
