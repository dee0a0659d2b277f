"""All gradients of a step together: their sum, norm and scale.

TensorFlow has one op where Keras has several, each a pass over memory.
"""

import keras
from keras import ops

if keras.backend.backend() == "tensorflow":
    import tensorflow as tf


def sum_over_replicas(gradients):
    """Dense gradients, summed over the replicas of a `tf.distribute` strategy.

    A table whose rows are looked up has its gradient as a list of rows, the
    same row perhaps twice; its norm is known only when they are added.
    """
    if keras.backend.backend() != "tensorflow":
        return gradients
    gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]
    replica = tf.distribute.get_replica_context()
    if replica is None or replica.num_replicas_in_sync == 1:
        return gradients
    return replica.all_reduce(tf.distribute.ReduceOp.SUM, gradients)


def global_norm(gradients):
    gradients = [ops.cast(gradient, "float32") for gradient in gradients]
    if keras.backend.backend() == "tensorflow":
        return tf.linalg.global_norm(gradients)
    return ops.sqrt(sum(ops.sum(ops.square(g)) for g in gradients))


def scaled(gradients, scale):
    """Gradients times a scale; all 0 where that is 0, even if not finite."""
    if keras.backend.backend() == "tensorflow":
        return [
            tf.math.multiply_no_nan(g, tf.cast(scale, g.dtype))
            for g in gradients
        ]
    return [ops.where(scale == 0, 0.0, g * scale) for g in gradients]
