"""Training batches whose parts are computed in parallel."""

import keras
from keras import ops


def in_parallel_parts(model, num_parts):
    """Split a model's batch into parts that are computed in parallel.

    The parts are branches of the graph and share the layers. TensorFlow
    computes each branch with one thread. This is faster than dividing every
    operation among the threads, because most operations are short.

    Args:
        model: `keras.Model` that takes and returns a dict of tensors
            `(batch_size, ...)`.
        num_parts: int. If the batch has fewer rows, some parts are empty.

    Returns:
        A `keras.Model`.
    """
    parts = [
        model({name: _Part(k, num_parts)(x) for name, x in model.input.items()})
        for k in range(num_parts)
    ]
    outputs = {
        name: _Join(dtype=output.dtype)([part[name] for part in parts])
        for name, output in model.output.items()
    }
    return keras.Model(model.input, outputs)


class _Part(keras.layers.Layer):
    """Layer that selects one part of a batch."""

    def __init__(self, index, num_parts):
        super().__init__(autocast=False)
        self._index = index
        self._num_parts = num_parts

    def call(self, rows):
        num_rows = ops.shape(rows)[0]
        start, stop = (
            num_rows * index // self._num_parts
            for index in (self._index, self._index + 1)
        )
        return rows[start:stop]

    def compute_output_spec(self, rows):
        return keras.KerasTensor((None, *rows.shape[1:]), rows.dtype)


class _Join(keras.layers.Layer):
    """Layer that concatenates the parts of a batch."""

    def call(self, parts):
        return ops.concatenate(parts)

    def compute_output_spec(self, parts):
        return keras.KerasTensor(parts[0].shape, parts[0].dtype)
