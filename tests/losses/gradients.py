"""Gradients of Keras losses."""

import numpy as np
import tensorflow as tf


def value_and_gradient(loss, targets, outputs):
    """Return a loss and its gradient for the outputs of a model."""
    outputs = tf.constant(outputs)
    with tf.GradientTape() as tape:
        tape.watch(outputs)
        weights = np.ones(len(outputs), "float32")  # As in `fit`.
        value = loss(targets, outputs, sample_weight=weights)
    return value, tape.gradient(value, outputs)
