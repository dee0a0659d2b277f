"""A model as one graph, with its matrices laid out for it where that pays."""

import functools
import math

import numpy as np
import tensorflow as tf

from keras_bert.export.packed_model import packed_model
from keras_bert.export.packed_model import renew_copies
from keras_bert.layers.flat_dense import dense_layers

# To lay matrices out takes one to three seconds, which so many batches win
# back.
_MIN_BATCHES_TO_COMPILE = 64


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
        self._dense_layers = dense_layers(model)
        self._trace()
        names = model.input.keys()
        self._plain = lambda x: self._traced()(*(x[name] for name in names))
        self._is_narrow = model.compute_dtype == "bfloat16"
        is_elsewhere = tf.config.list_logical_devices("GPU") or any(
            isinstance(v.value, tf.distribute.DistributedValues)
            for v in model.variables
        )
        self._min_count = math.inf if is_elsewhere else _MIN_BATCHES_TO_COMPILE

    def _trace(self):
        """Make the functions of the layers as they are now."""
        self._form = self._current_form()
        model = self._model
        self._traced = _traced(model, lambda x: model(x, training=False))
        self._count = 0
        self._laid_out = None

    def _current_form(self):
        """List what of the layers a traced graph does not notice."""
        return [(x.lora_enabled, x.dtype_policy) for x in self._dense_layers]

    def for_batches(self, num_batches):
        """Returns the function from dict to dict for so many batches."""
        if self._form != self._current_form():
            self._trace()
        laid_out = self._laid_out
        if laid_out and laid_out.is_outdated:
            laid_out, self._count = None, 0
        self._count += num_batches if self._is_narrow else 1
        if not laid_out and self._count >= self._min_count:
            laid_out = (
                _Constants(self._model, self._traced, self._plain)
                if self._is_narrow
                else _Packed(self._model)
            )
        self._laid_out = laid_out
        return laid_out or self._plain


class _FrozenCopy:
    """A graph with copies of the variables of `names`.

    It also gives the weights themselves, to notice when somebody has changed
    them; to read them in a call of their own takes twice as long. TensorFlow
    does not write to a tensor that is held, so what a variable holds after a
    change is elsewhere in memory. Then it may be of no use: `is_outdated`.
    """

    def __init__(self, model, names):
        self.is_outdated = False
        self._inputs = [*model.input]
        self._copied = [v for v in model.variables if v.name in names]
        self._held = _arrays(self._values())

    def _values(self):
        """Reads the weights of now, a list of tensors, in graph or eagerly."""
        return [tf.convert_to_tensor(v.value) for v in self._copied]

    def __call__(self, inputs):
        outputs, values = self._compute(*(inputs[x] for x in self._inputs))
        arrays = _arrays(values)
        if all(map(np.may_share_memory, arrays, self._held)):
            return outputs
        return self._after_change(arrays, inputs)


class _Constants(_FrozenCopy):
    """The same graph, with constants where it reads the matrices.

    It is copied, not traced once more: TensorFlow never lets go of a traced
    graph that has custom gradients, nor of the constants in it.
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
            # Behind the inputs stand the captures.
            pairs = zip(concrete.inputs, inputs, strict=False)
            known = {x.name: y for x, y in pairs}
            for outside, inside in captures:
                known[inside.name] = tf.identity(outside)
                if id(outside) in arrays:
                    constant = tf.constant(arrays[id(outside)])
                    for read in inside.consumers():
                        known[read.outputs[0].name] = constant
            names = [tensor.name for tensor in outputs.values()]
            found = tf.graph_util.import_graph_def(graph_def, known, names)
            return dict(zip(outputs, found, strict=True)), self._values()

        self._compute = compute.get_concrete_function()

    def _after_change(self, arrays, inputs):
        # New constants would take as long as these.
        self.is_outdated = True
        return self._plain(inputs)


class _Packed(_FrozenCopy):
    """The graph of the model's `packed_model`."""

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
    """Returns a function that traces the model's call once.

    TensorFlow warns of a `tf.function` that is traced again and again, also
    of several models; what is traced already it lets pass.
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


def _arrays(tensors):
    """The tensors as arrays, which keep them and are in the same place."""
    return [np.asarray(memoryview(tensor)) for tensor in tensors]
