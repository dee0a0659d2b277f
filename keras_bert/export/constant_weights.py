"""Weights as constants of a graph."""

import keras
import tensorflow as tf

_NARROW = tf.bfloat16.as_numpy_dtype


class ConstantWeights:
    """The weights of a model in bfloat16, written into graphs as constants.

    For a product in bfloat16 TensorFlow lays out a constant once, a variable at
    every call: with constants inference takes half the time. In float32 they
    would win nothing, and a process that loads the graph would hold them
    several times over. So of a model in float32 nothing is written.

    Args:
        model: `keras.Model`. A weight that it uses in bfloat16 alone, as with
            the policy "mixed_bfloat16", is kept in bfloat16.
    """

    def __init__(self, model):
        dtypes = _used_dtypes(model)
        self._arrays = [
            (variable, variable.numpy().astype(dtype))
            for variable, dtype in zip(model.variables, dtypes)
            if _NARROW in dtypes
        ]

    @property
    def num_bytes(self):
        return sum(array.nbytes for _, array in self._arrays)

    def scope(self):
        """A context in which the variables written are constants, in graph."""
        return keras.StatelessScope(
            [
                (variable, tf.cast(tf.constant(array), variable.dtype))
                for variable, array in self._arrays
            ]
        )


def _used_dtypes(model):
    """The dtype that a model wants each of its variables in."""
    with tf.Graph().as_default():
        values = [
            (variable, tf.compat.v1.placeholder(variable.dtype, variable.shape))
            for variable in model.variables
        ]
        inputs = {
            name: tf.zeros([2] * len(tensor.shape), tensor.dtype)
            for name, tensor in model.input.items()
        }
        with keras.StatelessScope(values):
            model(inputs, training=False)
        return [_used_dtype(value) for _, value in values]


def _used_dtype(tensor):
    """The one that a tensor is cast to wherever it is used, or its own."""
    used = {
        op.get_attr("DstT") if op.type == "Cast" else tensor.dtype
        for op in tensor.consumers()
    }
    is_narrow = used == {tf.bfloat16}
    return _NARROW if is_narrow else tensor.dtype.as_numpy_dtype


def use_narrow_constants(nodes):
    """Takes bfloat16 constants as they are, not by way of float32.

    A variable is float32 for Keras, which casts what stands for it to float32
    and where it is used to bfloat16. Behind these casts TensorFlow would not
    know a constant, and lay it out at every call.

    Args:
        nodes: the `NodeDef`s of a graph or of a function; changed.
    """
    known = {node.name: node for node in nodes}

    def origin(name):
        return known.get(name.split(":")[0])

    for node in nodes:
        for place, name in enumerate(node.input):
            narrowed = origin(name)
            if not _is_cast(narrowed, tf.bfloat16):
                continue
            widened = origin(narrowed.input[0])
            if not _is_cast(widened, tf.float32):
                continue
            constant = origin(widened.input[0])
            if constant is not None and constant.op == "Const":
                node.input[place] = widened.input[0]


def _is_cast(node, dtype):
    is_cast = node is not None and node.op == "Cast"
    return is_cast and node.attr["DstT"].type == dtype.as_datatype_enum
