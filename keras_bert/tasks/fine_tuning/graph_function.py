"""A model as one graph, with its matrices as constants where that pays."""

import math

import numpy as np
import tensorflow as tf

# Constants take one to two seconds, which so many batches win back.
_PAYING_BATCHES = 64


class GraphFunction:
    """A model as a function of tensors, traced once for many calls.

    A processor that multiplies in bfloat16 lays out each matrix before it can;
    of a constant TensorFlow does that once, of a variable at every call. Once
    there were, or are to come, so many batches that it pays, the matrices are
    therefore constants, and the texts of a MiniLM take 0.6 of the time. When
    somebody has changed a matrix the count begins anew. In float32 constants
    would win nothing.

    Args:
        model: `keras.Model` from a dict of tensors to a dict.
    """

    def __init__(self, model):
        names = list(model.input)
        signature = [
            tf.TensorSpec(tensor.shape, tensor.dtype)
            for tensor in model.input.values()
        ]
        traced = tf.function(
            lambda *inputs: model(dict(zip(names, inputs)), training=False),
            input_signature=signature,
        )
        self._names = names
        self._traced = traced
        self._plain = self._by_name(traced)
        self._kernels = [v for v in model.variables if v.name == "kernel"]
        self._is_narrow = model.compute_dtype == "bfloat16" and not any(
            isinstance(v.value, tf.distribute.DistributedValues)
            for v in self._kernels
        )
        self._num_batches = 0
        self._constant = None
        self._held = []

    def for_batches(self, num_batches):
        """The function to be called for so many batches.

        Args:
            num_batches: int.

        Returns:
            A function from a dict of tensors to a dict.
        """
        if self._constant and _addresses(self._held) != self._addresses():
            self._constant, self._held, self._num_batches = None, [], 0
        self._num_batches += num_batches
        if not self._constant and self._num_batches >= self._paying_batches():
            self._held = self._values()
            self._constant = self._by_name(self._with_constants(self._held))
        return self._constant or self._plain

    def _by_name(self, function):
        return lambda inputs: function(*(inputs[name] for name in self._names))

    def _paying_batches(self):
        has_gpu = bool(tf.config.list_logical_devices("GPU"))
        return _PAYING_BATCHES if self._is_narrow and not has_gpu else math.inf

    def _values(self):
        return [tf.convert_to_tensor(v.value) for v in self._kernels]

    def _addresses(self):
        """Where the matrices are in memory now.

        TensorFlow does not write to a tensor that is held, so a matrix that
        somebody has changed is elsewhere.
        """
        return _addresses(self._values())

    def _with_constants(self, values):
        """The same graph, with these values where it reads the matrices.

        It is copied, not traced once more: TensorFlow never lets go of a
        traced graph that has custom gradients, nor of the constants in it.
        """
        concrete = self._traced.get_concrete_function()
        captures = concrete.graph.captures
        graph_def = concrete.graph.as_graph_def()
        outputs = concrete.structured_outputs
        arrays = {
            id(variable.value.handle): value.numpy()
            for variable, value in zip(self._kernels, values)
        }

        @tf.function(input_signature=concrete.structured_input_signature[0])
        def compute(*inputs):
            known = {x.name: y for x, y in zip(concrete.inputs, inputs)}
            for outside, inside in captures:
                known[inside.name] = tf.identity(outside)
                if id(outside) in arrays:
                    constant = tf.constant(arrays[id(outside)])
                    for read in inside.consumers():
                        known[read.outputs[0].name] = constant
            names = [tensor.name for tensor in outputs.values()]
            found = tf.graph_util.import_graph_def(graph_def, known, names)
            return dict(zip(outputs, found))

        return compute


def _addresses(tensors):
    return [np.asarray(memoryview(tensor)).ctypes.data for tensor in tensors]
