"""Functions for token positions, blocks of tokens and packed sequences."""

import keras
from keras import ops

from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


def gather_positions(values: Tensor, positions: Tensor) -> Tensor:
    """Gather the vectors at some positions of each sequence.

    The gather is a matrix product with one-hot rows, so that its gradient is a
    matrix product instead of a scatter.

    Args:
        values: float `(batch_size, ..., seq_length, size)`.
        positions: int32 `(batch_size, ..., num_positions)`, from 0.

    Returns:
        float `(batch_size, ..., num_positions, size)`, like `values`.
    """
    selected = ops.one_hot(positions, ops.shape(values)[-2], dtype=values.dtype)
    return ops.matmul(selected, values)


def split_blocks(values: Tensor, size: int) -> Tensor:
    """Split sequences into blocks and pad the last block with zeros.

    Args:
        values: tensor `(..., seq_length, width)`.
        size: block size in tokens.

    Returns:
        A tensor `(..., num_blocks, size, width)`.
    """
    *outer, length, width = ops.shape(values)
    # `-length % size` would be negative in ONNX, as in C.
    num_blocks = (length + size - 1) // size
    num_missing = num_blocks * size - length
    padding = [(0, 0)] * len(outer) + [(0, num_missing), (0, 0)]
    padded = ops.pad(values, padding)
    return ops.reshape(padded, (*outer, num_blocks, size, width))


def with_neighbours(blocks: Tensor) -> Tensor:
    """Concatenate each block with its two neighbours.

    Args:
        blocks: tensor `(..., num_blocks, size, width)`.

    Returns:
        A tensor `(..., num_blocks, 3 * size, width)`. The missing neighbours of
        the first and last blocks are zeros.
    """
    inner = [(0, 0)] * (len(blocks.shape) - 3)
    padded = ops.pad(blocks, [*inner, (1, 1), (0, 0), (0, 0)])
    neighbours = padded[..., :-2, :, :], blocks, padded[..., 2:, :, :]
    return ops.concatenate(neighbours, axis=-2)


@keras.saving.register_keras_serializable("keras_bert")
class TextPositions(Layer):
    """Positions of the tokens in their texts, for packed sequences.

    Call arguments:
        text_numbers: int32 `(batch_size, seq_length)`, 1 at the tokens of the
            first text in a sequence, 2 at the second text and so on, 0 at
            padding.

    Returns:
        int32 `(batch_size, seq_length)`; 0 at padding.

    Example:

    >>> numbers = keras.ops.array([[1, 1, 1, 2, 2, 0]], "int32")
    >>> keras_bert.layers.TextPositions()(numbers).numpy().tolist()
    [[0, 1, 2, 0, 1, 0]]
    """

    output_dtype = "int32"

    def call(self, text_numbers: Tensor) -> Tensor:
        num_rows, length = ops.shape(text_numbers)
        # Number the texts of the batch in ascending order; padding is the last
        # text of its sequence.
        numbers = ops.where(text_numbers > 0, text_numbers, length + 1)
        rows = ops.expand_dims(ops.arange(num_rows), 1)
        numbers = ops.reshape(numbers + rows * (length + 2), (-1,))
        starts = ops.cast(ops.searchsorted(numbers, numbers), "int32")
        positions = ops.arange(num_rows * length) - starts
        positions = ops.reshape(positions, (num_rows, length))
        return ops.where(text_numbers > 0, positions, 0)
