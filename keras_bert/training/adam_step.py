"""What one step of Adam does to every variable, and its pass over one.

Keras calls `update_step` for each variable on each device and passes it the
learning rate only. So the scalars of a step are worked out once, kept in a
variable of the optimizer, and read from there.
"""

import collections
import math

import keras
import numpy as np
from keras import ops

if keras.backend.backend() == "tensorflow":
    import tensorflow as tf

_Step = collections.namedtuple("_Step", "is_taken scale epsilon beta_1 beta_2")
NUM_SCALARS = len(_Step._fields)


def adam_step(t, is_taken, betas, epsilon):
    """The scalars of a step.

    With c = 1 - beta ** t, the update m / c1 / (sqrt(v / c2) + epsilon) is
    sqrt(c2) / c1 * m / (sqrt(v) + sqrt(c2) * epsilon). A step that is not
    taken keeps all of m and v.

    Args:
        t: float32 scalar, the number of the step, counted from 1; None for no
            correction.
        is_taken: bool scalar.
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
            root / correction_1,
            root * epsilon,
            *(ops.where(is_taken, beta, np.float32(1)) for beta in rounded),
        )
    )


def unpack(scalars):
    """`is_taken`, `scale`, `epsilon`, `beta_1` and `beta_2` by their names."""
    scalars = ops.convert_to_tensor(scalars)
    return _Step(*ops.unstack(scalars, NUM_SCALARS))


def fused_update(gradient, variable, moments, rate, step):
    """One pass over a variable, its moments and its gradient."""
    m, v = moments
    tf.raw_ops.ResourceApplyAdam(
        var=variable.handle,
        m=m.value.handle,
        v=v.value.handle,
        # The corrections are in the rate and epsilon.
        beta1_power=tf.zeros_like(step.beta_1),
        beta2_power=tf.zeros_like(step.beta_2),
        lr=rate * step.scale,
        beta1=step.beta_1,
        beta2=step.beta_2,
        epsilon=step.epsilon,
        grad=gradient,
    )
