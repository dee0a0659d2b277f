"""All gradients of a step together: their sum and norm.

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
