"""Weights as constants of a graph."""

import keras
import tensorflow as tf


class ConstantWeights:
    """The weights of a model, written into graphs as constants.

    TensorFlow lays out a constant for its matrix products once, a variable at
    every call: in bfloat16 inference takes half the time.

    Args:
        model: `keras.Model`. A weight that it uses in bfloat16 alone, as with
            the policy "mixed_bfloat16", is kept in bfloat16.
    """

    def __init__(self, model):
        self._arrays = [(v, v.numpy()) for v in model.variables]
        self._arrays = [
            (variable, array.astype(dtype))
            for (variable, array), dtype in zip(
                self._arrays, self._used_dtypes(model)
            )
        ]

    @property
    def num_bytes(self):
        return sum(array.nbytes for _, array in self._arrays)

    def scope(self):
        """A context in which the model's variables are constants, in graph."""
        return keras.StatelessScope(
            [
                # Loading folds the casts to float32 and back to bfloat16.
                (variable, tf.cast(constant, variable.dtype))
                for variable, constant in self._constants()
            ]
        )

    def _constants(self):
        return [(v, tf.constant(array)) for v, array in self._arrays]

    def _used_dtypes(self, model):
        """The dtype that the model wants each weight in."""
        with tf.Graph().as_default():
            constants = self._constants()
            inputs = {
                name: tf.zeros([2] * len(tensor.shape), tensor.dtype)
                for name, tensor in model.input.items()
            }
            with keras.StatelessScope(constants):
                model(inputs, training=False)
            return [_used_dtype(constant) for _, constant in constants]


def _used_dtype(constant):
    """The one that a tensor is cast to wherever it is used, or its own."""
    used = {
        op.get_attr("DstT") if op.type == "Cast" else constant.dtype
        for op in constant.consumers()
    }
    is_narrow = used == {tf.bfloat16}
    return (tf.bfloat16 if is_narrow else constant.dtype).as_numpy_dtype
