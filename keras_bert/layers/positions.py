"""Rows of a sequence by their positions."""

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
