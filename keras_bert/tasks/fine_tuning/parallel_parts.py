"""A model that computes the parts of a batch side by side."""

import keras
from keras import ops


def in_parallel_parts(model, num_parts):
    """Gives a model a branch of the graph for each part of a batch.

    The branches share the layers. TensorFlow computes them at the same time,
    each with one thread; that takes less time than one branch whose every
    operation is divided among the threads, as most are too short for that.

    Args:
        model: `keras.Model` from a dict of tensors to a dict, all of them
            `(batch_size, ...)`.
        num_parts: int. Of a batch with fewer rows some parts are empty.

    Returns:
        A `keras.Model`; `model` itself, if there is one part.
    """
    if num_parts == 1:
        return model
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
    """The rows of one part."""

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
    """The rows of all parts."""

    def call(self, parts):
        return ops.concatenate(parts)

    def compute_output_spec(self, parts):
        return keras.KerasTensor(parts[0].shape, parts[0].dtype)
