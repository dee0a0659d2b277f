"""TensorFlow variables made with the numbers of a checkpoint."""

import contextlib

import tensorflow as tf


@contextlib.contextmanager
def variables_from_checkpoint(read, weights):
    """Makes the variables within it with given numbers.

    No number is drawn or written twice, and one variable at a time is held
    beside the model.

    Args:
        read: function from the path of a weight to its NumPy array.
        weights: dict, its keys the paths that there are numbers for. Those
            whose variables have been made are removed from it.
    """
    outside = tf.get_current_name_scope()

    def create(next_variable, **arguments):
        scope = tf.get_current_name_scope().removeprefix(outside)
        weight = f"{scope}/{arguments['name']}".removeprefix("/")
        if weight in weights:
            del weights[weight]
            arguments["initial_value"] = tf.constant(read(weight))
        return next_variable(**arguments)

    with tf.variable_creator_scope(create):
        yield
