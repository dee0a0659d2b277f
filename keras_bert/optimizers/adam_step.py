"""Functions that compute one step of Adam.

Keras calls `update_step` for each variable on each device and passes only the
learning rate. Therefore, the other scalars of a step are computed once and
stored in a variable of the optimizer. TensorFlow updates a variable with a
single op. Keras uses several ops, and each op is a pass over memory.
"""

import collections
import math

import keras
import numpy as np
from keras import ops

if keras.backend.backend() == "tensorflow":
    import tensorflow as tf

_Step = collections.namedtuple(
    "_Step", "is_taken clip scale epsilon beta_1 beta_2"
)
NUM_SCALARS = len(_Step._fields)

# Minimum number of elements for which a compiled update is faster than two ops.
_COMPILED_SIZE = 1 << 16


def adam_step(t, is_taken, clip, betas, epsilon):
    """Compute the scalars of a step.

    With c1 = 1 - beta_1 ** t and c2 = 1 - beta_2 ** t, the update
    m / c1 / (sqrt(v / c2) + epsilon) equals
    sqrt(c2) / c1 * m / (sqrt(v) + sqrt(c2) * epsilon). If a step is not taken,
    m and v do not change.

    Args:
        t: float32 scalar, number of the step, counted from 1. If None, there is
            no bias correction.
        is_taken: bool scalar, whether the step is taken.
        clip: float32 scalar, factor that multiplies the gradients.
        betas: pair of floats, `beta_1` and `beta_2`.
        epsilon: float.

    Returns:
        float32 `(NUM_SCALARS,)`, the fields of `_Step` in order.
    """
    # 0.999 is not exact in float32. Steps and corrections use the same
    # rounded value.
    rounded = [np.float32(beta) for beta in betas]
    if t is not None:
        # 1 - 0.999 ** t has only three correct digits in float32; expm1 is
        # accurate.
        corrections = [-ops.expm1(t * math.log(beta)) for beta in rounded]
    else:
        corrections = [
            ops.full((), (1 - float(beta)) / (1 - exact), "float32")
            for beta, exact in zip(rounded, betas, strict=True)
        ]
    correction_1, correction_2 = corrections
    root = ops.sqrt(correction_2)
    return ops.stack(
        _Step(
            ops.cast(is_taken, "float32"),
            ops.where(is_taken, clip, 0.0),
            root / correction_1,
            root * epsilon,
            *(ops.where(is_taken, beta, np.float32(1)) for beta in rounded),
        )
    )


def unpack(scalars):
    """Return the scalars of a step as a named tuple."""
    scalars = ops.convert_to_tensor(scalars)
    return _Step(*ops.unstack(scalars, NUM_SCALARS))


def adam_moments(gradient, m, v, step):
    """Compute m and v after a step.

    Args:
        gradient: tensor, not yet clipped; may be NaN or infinite if the step
            is not taken.
        m, v: tensors of the same shape, the moments before the step.
        step: scalars returned by `unpack`.
    """
    gradient = ops.where(step.clip == 0, 0.0, gradient * step.clip)
    return (
        m + (gradient - m) * (1 - step.beta_1),
        v + (ops.square(gradient) - v) * (1 - step.beta_2),
    )


def adam_direction(m, v, step):
    """Compute the update of a step, without the learning rate."""
    return step.scale * m / (ops.sqrt(v) + step.epsilon)


def update_variable(gradient, variable, moments, rate, decay, step):
    """Update a TensorFlow variable and its moments.

    Large variables are updated by one compiled function. Small variables, and
    all variables with several replicas, which XLA does not support, are
    updated by TensorFlow's op for Adam.

    Args:
        gradient: tensor, not yet clipped.
        variable: `tf.Variable`.
        moments: two `tf.Variable`s, m and v.
        rate: scalar, learning rate; 0 if the step is not taken.
        decay: float, weight decay; multiplied by the rate.
        step: scalars returned by `unpack`.
    """
    num_replicas = tf.distribute.get_strategy().num_replicas_in_sync
    if variable.shape.num_elements() >= _COMPILED_SIZE and num_replicas == 1:
        scalars = tf.stack([rate, tf.cast(decay, rate.dtype), *step])
        handles = (x.handle for x in (variable, *moments))
        _compiled_update(gradient, *handles, scalars)
        return
    if decay:
        variable.assign_sub(variable * (rate * decay))
    m, v = moments
    tf.raw_ops.ResourceApplyAdam(
        var=variable.handle,
        m=m.handle,
        v=v.handle,
        # Rate and epsilon already include the bias corrections.
        beta1_power=tf.zeros_like(step.beta_1),
        beta2_power=tf.zeros_like(step.beta_2),
        lr=rate * step.scale,
        beta1=step.beta_1,
        beta2=step.beta_2,
        epsilon=step.epsilon,
        grad=tf.math.multiply_no_nan(gradient, step.clip),
    )


if keras.backend.backend() == "tensorflow":
    # Pass handles: a `tf.function` would capture the variables of its first
    # call.
    @tf.function(jit_compile=True)
    def _compiled_update(gradient, variable, m, v, scalars):
        rate, decay, *step = tf.unstack(scalars, 2 + NUM_SCALARS)
        step = _Step(*step)
        resources = variable, m, v
        value, *moments = (
            tf.raw_ops.ReadVariableOp(resource=x, dtype=gradient.dtype)
            for x in resources
        )
        moments = adam_moments(gradient, *moments, step)
        direction = adam_direction(*moments, step)
        value -= rate * (direction + decay * value)
        for resource, new in zip(resources, (value, *moments), strict=True):
            tf.raw_ops.AssignVariableOp(resource=resource, value=new)


def sum_over_replicas(gradients):
    """Return dense gradients, summed over the replicas of a strategy.

    Gradients of embeddings are sparse and may contain the same row twice; they
    are made dense, because the norm needs the sum of equal rows.
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


def decays(variable):
    """Return True if weight decay applies: matrices and embedding tables."""
    # Some Keras layers have biases with two axes, so the name is checked too.
    return len(variable.shape) > 1 and variable.name != "bias"
