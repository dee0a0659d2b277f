"""Functions with their own gradient on every Keras backend."""

import functools

import keras
from keras import ops

from keras_bert.lazy_tensorflow import tf


def custom_gradient(function):
    """Decorate a function that returns its outputs and their gradient.

    Unlike `keras.ops.custom_gradient`, it does not keep the graph of the call.
    TensorFlow registers each traced gradient until the process ends, and with
    it the graph and its variables. Therefore the function is traced in a graph
    of its own, once for each shape and setting.

    Args:
        function: callable that returns a tensor and a function, which maps the
            gradient of this tensor to the gradients of the inputs. It uses
            only tensors that are arguments.

    Returns:
        A callable.

    Call arguments:
        *inputs: float tensors with gradients.
        **constants: tensors without gradients, hashable settings, or dicts of
            these.
    """

    @functools.wraps(function)
    def call(*inputs, **constants):
        is_tensorflow = keras.backend.backend() == "tensorflow"
        if is_tensorflow and not tf.executing_eagerly():
            return _call_in_own_graph(function, inputs, constants)
        return _call(function, inputs, constants)

    return call


def _call(function, inputs, constants):
    @ops.custom_gradient
    def of_inputs(*inputs):
        outputs, gradient = function(*inputs, **constants)

        def keras_gradient(*args, upstream=None):
            # PyTorch also passes the inputs, and `upstream` by name.
            return gradient(args[0] if upstream is None else upstream)

        return outputs, keras_gradient

    return of_inputs(*inputs)


# Traced functions by function, shapes and settings.
_TRACED: dict = {}


def _call_in_own_graph(function, inputs, constants):
    arguments = inputs, constants
    signature = tf.nest.map_structure(_spec, arguments)
    key = function, *tf.nest.flatten(signature)
    if key not in _TRACED:
        _TRACED[key] = _trace(function, signature)
    return _TRACED[key](*filter(tf.is_tensor, tf.nest.flatten(arguments)))


def _spec(value):
    """Return the `tf.TensorSpec` of a tensor, or a setting itself."""
    if not tf.is_tensor(value):
        return value
    return tf.TensorSpec(value.shape, value.dtype)


def _trace(function, signature):
    """Trace a function whose only inputs are tensors."""
    leaves = tf.nest.flatten(signature)

    def call(*tensors):
        remaining = iter(tensors)
        values = [
            next(remaining) if isinstance(leaf, tf.TensorSpec) else leaf
            for leaf in leaves
        ]
        return _call(function, *tf.nest.pack_sequence_as(signature, values))

    specs = [leaf for leaf in leaves if isinstance(leaf, tf.TensorSpec)]
    with tf.init_scope():
        traced = tf.function(call, autograph=False)
        return traced.get_concrete_function(*specs)
