"""Rows of a sequence, by their positions or in blocks."""

from keras import ops


def gather_positions(values, positions):
    """Picks the vectors at some positions of each sequence.

    A product with one-hot rows gathers, and its gradient is a product too
    instead of a scatter.

    Args:
        values: float `(batch_size, ..., seq_length, size)`.
        positions: int32 `(batch_size, ..., num_positions)`, from 0.

    Returns:
        float `(batch_size, ..., num_positions, size)`, like `values`.
    """
    selected = ops.one_hot(positions, ops.shape(values)[-2], dtype=values.dtype)
    return ops.matmul(selected, values)


def split_blocks(values, size):
    """Cuts rows into blocks, the last one filled up with zeros.

    Args:
        values: tensor `(..., seq_length, width)`.
        size: int, rows of a block.

    Returns:
        A tensor `(..., num_blocks, size, width)`.
    """
    *outer, length, width = ops.shape(values)
    padding = [(0, 0)] * len(outer) + [(0, -length % size), (0, 0)]
    padded = ops.pad(values, padding)
    num_blocks = (length + -length % size) // size
    return ops.reshape(padded, (*outer, num_blocks, size, width))


def with_neighbours(blocks):
    """Puts beside each block those before and after it; zeros at the ends.

    Args:
        blocks: tensor `(..., num_blocks, size, width)`.

    Returns:
        A tensor `(..., num_blocks, 3 * size, width)`.
    """
    inner = [(0, 0)] * (len(blocks.shape) - 3)
    padded = ops.pad(blocks, [*inner, (1, 1), (0, 0), (0, 0)])
    neighbours = padded[..., :-2, :, :], blocks, padded[..., 2:, :, :]
    return ops.concatenate(neighbours, axis=-2)
