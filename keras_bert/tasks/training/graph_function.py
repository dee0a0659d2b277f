"""Traced model with weights that are optimized for many calls."""

import functools
import math

import numpy as np
import tensorflow as tf

from keras_bert.export.packed_model import packed_model
from keras_bert.export.packed_model import renew_copies
from keras_bert.layers.flat_dense import dense_layers

# Copying the weights takes one to three seconds. Compiling saves this time only
# if there are at least this many batches.
_MIN_BATCHES_TO_COMPILE = 64


class GraphFunction:
    """Callable that traces a model once and runs it many times.

    After enough calls, optimized copies of the weights are used:

    - In bfloat16, a CPU reorders each matrix before it multiplies. TensorFlow
      reorders a constant once, but a variable in every call. With constants,
      a MiniLM takes 60 % of the time.
    - In float32, `packed_model` splits matrices in halves and skips padding.
      Calls are counted instead of batches, because a call with many batches
      has little padding.

    If the weights change, the copies are refreshed.

    Args:
        model: `keras.Model` that takes and returns a dict of tensors.
    """

    def __init__(self, model):
        self._model = model
        self._dense_layers = dense_layers(model)
        self._trace()
        names = model.input.keys()
        self._plain = lambda x: self._traced()(*_tensors(x, names))
        self._is_narrow = model.compute_dtype == "bfloat16"
        is_elsewhere = tf.config.list_logical_devices("GPU") or any(
            isinstance(v.value, tf.distribute.DistributedValues)
            for v in model.variables
        )
        self._min_count = math.inf if is_elsewhere else _MIN_BATCHES_TO_COMPILE

    def _trace(self):
        """Trace the model with the current settings of its layers."""
        self._form = self._current_form()
        model = self._model
        self._traced = _traced(model, lambda x: model(x, training=False))
        self._count = 0
        self._copy = None

    def _current_form(self):
        """Return the layer settings that require retracing if they change."""
        return [(x.lora_enabled, x.dtype_policy) for x in self._dense_layers]

    def for_batches(self, num_batches):
        """Return the fastest available function for a number of batches."""
        if self._form != self._current_form():
            self._trace()
        copy = self._copy
        if copy and copy.is_outdated:
            copy, self._count = None, 0
        self._count += num_batches if self._is_narrow else 1
        if not copy and self._count >= self._min_count:
            copy = (
                _Constants(self._model, self._traced, self._plain)
                if self._is_narrow
                else _Packed(self._model)
            )
        self._copy = copy
        return copy or self._plain


class _FrozenCopy:
    """Traced graph that uses copies of some variables.

    The graph also returns the variables, to detect changes; reading them in a
    separate call takes twice as long. TensorFlow never overwrites a tensor
    that is still referenced, so a changed variable has a new memory address.
    If the copy cannot be refreshed, `is_outdated` becomes True.
    """

    def __init__(self, model, names):
        self.is_outdated = False
        self._inputs = [*model.input]
        self._copied = [v for v in model.variables if v.name in names]
        self._held = _arrays(self._values())

    def _values(self):
        """Return the current weights as tensors, in a graph or eagerly."""
        return [tf.convert_to_tensor(v.value) for v in self._copied]

    def __call__(self, inputs):
        outputs, values = self._compute(*_tensors(inputs, self._inputs))
        arrays = _arrays(values)
        if all(map(np.may_share_memory, arrays, self._held)):
            return outputs
        return self._after_change(arrays, inputs)


class _Constants(_FrozenCopy):
    """Copy of the graph with constants instead of matrix variables.

    The graph is copied, not traced again, because TensorFlow never frees a
    traced graph with custom gradients and its constants.
    """

    def __init__(self, model, traced, plain):
        super().__init__(model, ("kernel",))
        self._plain = plain
        concrete = traced()
        captures = concrete.graph.captures
        graph_def = concrete.graph.as_graph_def()
        outputs = concrete.structured_outputs
        arrays = {
            id(variable.value.handle): array
            for variable, array in zip(self._copied, self._held, strict=True)
        }

        @tf.function(input_signature=concrete.structured_input_signature[0])
        def compute(*inputs):
            # `concrete.inputs` contains the inputs first and then the captures.
            pairs = zip(concrete.inputs, inputs, strict=False)
            known = {x.name: y for x, y in pairs}
            for outside, inside in captures:
                known[inside.name] = tf.identity(outside)
                if id(outside) in arrays:
                    constant = tf.constant(arrays[id(outside)])
                    for read in inside.consumers():
                        known[read.outputs[0].name] = constant
            names = [tensor.name for tensor in outputs.values()]
            tensors = tf.graph_util.import_graph_def(graph_def, known, names)
            return dict(zip(outputs, tensors, strict=True)), self._values()

        self._compute = compute.get_concrete_function()

    def _after_change(self, arrays, inputs):
        # Recreating the constants would take too long.
        self.is_outdated = True
        return self._plain(inputs)


class _Packed(_FrozenCopy):
    """Graph of a `packed_model`."""

    def __init__(self, model):
        lora = "lora_kernel_a", "lora_kernel_b"
        super().__init__(model, ("kernel", "bias", *lora))
        self._packed = packed_model(model)
        self._compute = _traced(
            model, lambda x: (self._packed(x, training=False), self._values())
        )()

    def _after_change(self, arrays, inputs):
        renew_copies(self._packed)
        self._held = arrays
        return self(inputs)


def _traced(model, call):
    """Return a function that traces the call of a model once.

    A cached concrete function avoids TensorFlow's warning about repeated
    retracing, which also counts traces of different models.
    """
    names = model.input.keys()
    function = tf.function(
        lambda *inputs: call(dict(zip(names, inputs, strict=True))),
        input_signature=[
            tf.TensorSpec(tensor.shape, tensor.dtype)
            for tensor in model.input.values()
        ],
        autograph=False,
    )
    return functools.cache(function.get_concrete_function)


def _tensors(inputs, names):
    """Convert arrays to tensors, in the order of their names."""
    return [tf.convert_to_tensor(inputs[name]) for name in names]


def _arrays(tensors):
    """Return arrays that share the memory of the tensors."""
    return [np.asarray(memoryview(tensor)) for tensor in tensors]
