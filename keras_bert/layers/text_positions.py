"""Positions of tokens in rows that hold several texts."""

import keras
from keras import ops


@keras.saving.register_keras_serializable("keras_bert")
class TextPositions(keras.layers.Layer):
    """Counts the positions of each text of a row from 0.

    Call arguments:
        text_numbers: int32 `(batch_size, seq_length)`, 1 at the tokens of the
            first text of a row, 2 at those of the next one and so on, then 0
            at padding.

    Returns:
        int32 `(batch_size, seq_length)`; 0 at padding.

    Example:

    >>> numbers = keras.ops.array([[1, 1, 1, 2, 2, 0]], "int32")
    >>> keras_bert.layers.TextPositions()(numbers).numpy().tolist()
    [[0, 1, 2, 0, 1, 0]]
    """

    def call(self, text_numbers):
        num_rows, length = ops.shape(text_numbers)
        # All rows as one, whose numbers rise: padding is the last text.
        numbers = ops.where(text_numbers > 0, text_numbers, length + 1)
        rows = ops.expand_dims(ops.arange(num_rows), 1)
        numbers = ops.reshape(numbers + rows * (length + 2), (-1,))
        starts = ops.cast(ops.searchsorted(numbers, numbers), "int32")
        positions = ops.arange(num_rows * length) - starts
        positions = ops.reshape(positions, (num_rows, length))
        return ops.where(text_numbers > 0, positions, 0)

    def compute_output_spec(self, text_numbers):
        return keras.KerasTensor(text_numbers.shape, "int32")
