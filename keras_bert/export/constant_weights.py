"""Weights as constants of a graph."""

import keras
import tensorflow as tf

_NARROW = tf.bfloat16.as_numpy_dtype


class ConstantWeights:
    """The weights of a model in bfloat16, written into graphs as constants.

    For a product in bfloat16 TensorFlow lays out a constant once, a variable at
    every call: with constants inference takes half the time. A model in float32
    has none: they would win nothing, and a process that loads the graph would
    hold them several times.

    Args:
        model: `keras.Model`. A weight that it uses in bfloat16 only, as with
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
        """Makes a context in which, in graph, the variables are constants."""
        return keras.StatelessScope(
            [
                (variable, tf.cast(tf.constant(array), variable.dtype))
                for variable, array in self._arrays
            ]
        )


def _used_dtypes(model):
    """Finds the dtype that a model wants each of its variables in."""
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
    """Finds the dtype that all uses cast a tensor to, or else its own."""
    used = {
        op.get_attr("DstT") if op.type == "Cast" else tensor.dtype
        for op in tensor.consumers()
    }
    is_narrow = used == {tf.bfloat16}
    return _NARROW if is_narrow else tensor.dtype.as_numpy_dtype


def use_narrow_constants(nodes):
    """Takes bfloat16 constants as they are in `NodeDef`s, which are changed.

    A variable is float32 for Keras, which casts what stands for it to float32
    and where it is used to bfloat16. Behind these casts TensorFlow would not
    know a constant, and lay it out at every call.
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
