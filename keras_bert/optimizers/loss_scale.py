"""Dynamic loss scaling for float16."""

import tensorflow as tf

_FIRST_SCALE = 2.0**15
_STEPS_BEFORE_GROWTH = 2000


class LossScale:
    """Dynamic loss scale that adapts to overflows.

    The scale decreases after overflows and slowly increases otherwise.

    Args:
        is_needed: bool, whether to scale the loss. If False, the scale is 1.

    References:
        [Mixed precision training](https://arxiv.org/abs/1710.03740),
        section 3.2
    """

    def __init__(self, is_needed):
        self.is_needed = is_needed
        first = _FIRST_SCALE if is_needed else 1.0
        self.factor = _scalar(first, tf.float32, "loss_scale")
        self.num_good_steps = _scalar(0, tf.int64, "num_good_steps")
        self.variables = [self.factor, self.num_good_steps]

    def scaled(self, loss):
        """Return the scaled loss."""
        return loss * self.factor if self.is_needed else loss

    def unscaled(self, gradients):
        """Return the gradients of the unscaled loss."""
        if not self.is_needed:
            return gradients
        return [gradient / self.factor for gradient in gradients]

    def update(self, is_finite):
        """Update the scale after a step with finite or infinite gradients."""
        if not self.is_needed:
            return
        good = tf.where(is_finite, self.num_good_steps + 1, 0)
        grows = good >= _STEPS_BEFORE_GROWTH
        factor = tf.where(
            is_finite,
            tf.where(grows, 2.0 * self.factor, self.factor),
            tf.maximum(self.factor / 2.0, 1.0),
        )
        self.factor.assign(factor)
        self.num_good_steps.assign(tf.where(grows, tf.zeros_like(good), good))


def _scalar(value, dtype, name):
    return tf.Variable(
        value,
        trainable=False,
        dtype=dtype,
        name=name,
        aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA,
    )
