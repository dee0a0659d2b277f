"""A model as one graph, with its matrices laid out for it where that pays."""

import math

import numpy as np
import tensorflow as tf

from keras_bert.export.packed_model import packed_model
from keras_bert.export.packed_model import renew_copies

# To lay matrices out takes one to three seconds, which so many batches win
# back.
_PAYING_BATCHES = 64


class GraphFunction:
    """A model as a function of tensors, traced once for many calls.

    Once it pays, its matrices are copied to where they are faster:

    - A processor that multiplies in bfloat16 lays out each matrix before it
      can; of a constant TensorFlow does that once, of a variable at every
      call. As constants, the texts of a MiniLM take 0.6 of the time.
    - In float32 `packed_model` divides them in halves and computes no padding.
      Batches of many texts have little of it, so what counts there are calls:
      who asks again and again asks for few texts at a time.

    What somebody does to a matrix is noticed.

    Args:
        model: `keras.Model` from a dict of tensors to a dict.
    """

    def __init__(self, model):
        self._model = model
        self._traced = _traced(model)
        self._plain = _by_name(self._traced, model)
        self._is_narrow = model.compute_dtype == "bfloat16"
        self._is_mirrored = any(
            isinstance(v.value, tf.distribute.DistributedValues)
            for v in model.variables
        )
        self._count = 0
        self._laid_out = None

    def for_batches(self, num_batches):
        """The function to be called for so many batches.

        Args:
            num_batches: int.

        Returns:
            A function from a dict of tensors to a dict.
        """
        laid_out = self._laid_out
        if laid_out and laid_out.held.are_outdated():
            laid_out, self._count = laid_out.renewed(), 0
        self._count += num_batches if self._is_narrow else 1
        if not laid_out and self._count >= self._paying_count():
            laid_out = self._new_laid_out()
        self._laid_out = laid_out
        return laid_out.function if laid_out else self._plain

    def _paying_count(self):
        has_gpu = bool(tf.config.list_logical_devices("GPU"))
        return math.inf if has_gpu or self._is_mirrored else _PAYING_BATCHES

    def _new_laid_out(self):
        if self._is_narrow:
            return _Constants(self._model, self._traced)
        return _Packed(self._model)


class _Constants:
    """The same graph, with constants where it reads the matrices.

    It is copied, not traced once more: TensorFlow never lets go of a traced
    graph that has custom gradients, nor of the constants in it.
    """

    def __init__(self, model, traced):
        kernels = [v for v in model.variables if v.name == "kernel"]
        self.held = _HeldValues(kernels)
        concrete = traced.get_concrete_function()
        captures = concrete.graph.captures
        graph_def = concrete.graph.as_graph_def()
        outputs = concrete.structured_outputs
        arrays = {
            id(variable.value.handle): value.numpy()
            for variable, value in zip(kernels, self.held.values)
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

        self.function = _by_name(compute, model)

    def renewed(self):
        """None: they would take as long as new ones."""


class _Packed:
    """The graph of the model's `packed_model`."""

    def __init__(self, model):
        names = ("kernel", "bias")
        self.held = _HeldValues([v for v in model.variables if v.name in names])
        self._packed = packed_model(model)
        self.function = _by_name(_traced(self._packed), model)

    def renewed(self):
        """Itself, with the weights that the model has now."""
        self.held.renew()
        renew_copies(self._packed)
        return self


class _HeldValues:
    """The values of variables, held to notice when they change.

    TensorFlow does not write to a tensor that is held, so what a variable
    holds after somebody has changed it is elsewhere in memory.

    Args:
        variables: list of `keras.Variable`.

    Attributes:
        values: list of tensors.
    """

    def __init__(self, variables):
        # In one call: one by one they take as long as a short text.
        self._read = tf.function(
            lambda: [tf.convert_to_tensor(v.value) for v in variables]
        ).get_concrete_function()
        self.renew()

    def renew(self):
        """Holds the values of now."""
        self.values = self._read()

    def are_outdated(self):
        return _addresses(self.values) != _addresses(self._read())


def _traced(model):
    names = model.input.keys()
    return tf.function(
        lambda *inputs: model(dict(zip(names, inputs)), training=False),
        input_signature=[
            tf.TensorSpec(tensor.shape, tensor.dtype)
            for tensor in model.input.values()
        ],
    )


def _by_name(function, model):
    """As a function of a dict of the model's inputs."""
    names = model.input.keys()
    return lambda inputs: function(*(inputs[name] for name in names))


def _addresses(tensors):
    return [
        np.asarray(memoryview(tensor)).__array_interface__["data"][0]
        for tensor in tensors
    ]
