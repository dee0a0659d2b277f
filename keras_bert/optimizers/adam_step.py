"""The scalars and gradients of a step of Adam, and its pass over a variable.

Keras calls `update_step` for each variable on each device and passes it the
learning rate only. So the scalars of a step are worked out once, kept in a
variable of the optimizer, and read from there. TensorFlow has one op where
Keras has several, each a pass over memory.
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

# From so many elements on, a compiled pass is faster than two ops.
_COMPILED_SIZE = 1 << 16


def adam_step(t, is_taken, clip, betas, epsilon):
    """The scalars of a step.

    With c = 1 - beta ** t, the update m / c1 / (sqrt(v / c2) + epsilon) is
    sqrt(c2) / c1 * m / (sqrt(v) + sqrt(c2) * epsilon). A step that is not
    taken keeps all of m and v.

    Args:
        t: float32 scalar, the number of the step, counted from 1; None for no
            correction.
        is_taken: bool scalar.
        clip: float32 scalar, by which gradients are multiplied.
        betas: two floats.
        epsilon: float.

    Returns:
        float32 `(NUM_SCALARS,)`
    """
    # float32 has no 0.999. The variables take steps of 1 - beta as rounded
    # there; the corrections make up for it.
    rounded = [np.float32(beta) for beta in betas]
    if t is not None:
        # 1 - 0.999 ** t has three right digits in float32, this has all.
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
    """The scalars of a step by their names."""
    scalars = ops.convert_to_tensor(scalars)
    return _Step(*ops.unstack(scalars, NUM_SCALARS))


def adam_moments(gradient, m, v, step):
    """The moments after a step.

    Args:
        gradient: tensor, not clipped yet; where the step is not taken it may
            be not finite.
        m, v: tensors like it, the moments before.
        step: as returned by `unpack`.
    """
    gradient = ops.where(step.clip == 0, 0.0, gradient * step.clip)
    return (
        m + (gradient - m) * (1 - step.beta_1),
        v + (ops.square(gradient) - v) * (1 - step.beta_2),
    )


def adam_direction(m, v, step):
    """The direction of a step, before the learning rate."""
    return step.scale * m / (ops.sqrt(v) + step.epsilon)


def update_variable(gradient, variable, moments, rate, decay, step):
    """Moves a TensorFlow variable and its moments by a step.

    A large variable takes one compiled pass over memory; with several
    replicas, which XLA cannot compile for, and for a small variable
    TensorFlow's op for Adam is used.

    Args:
        gradient: tensor, not clipped yet.
        variable: `tf.Variable`.
        moments: two of them, m and v.
        rate: scalar, the learning rate; 0 where the step is not taken.
        decay: float, times the rate, off the variable.
        step: as returned by `unpack`.
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
        # The corrections are in the rate and epsilon.
        beta1_power=tf.zeros_like(step.beta_1),
        beta2_power=tf.zeros_like(step.beta_2),
        lr=rate * step.scale,
        beta1=step.beta_1,
        beta2=step.beta_2,
        epsilon=step.epsilon,
        grad=tf.math.multiply_no_nan(gradient, step.clip),
    )


if keras.backend.backend() == "tensorflow":
    # Of handles: a function of variables would keep those of its first call.
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
        for resource, new in (
            (variable, value),
            (m, moments[0]),
            (v, moments[1]),
        ):
            tf.raw_ops.AssignVariableOp(resource=resource, value=new)


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


def decays(variable):
    """Return True for matrices and embedding tables, which decay."""
    # In some layers of Keras a bias has two axes, so its name counts as well.
    return len(variable.shape) > 1 and variable.name != "bias"
