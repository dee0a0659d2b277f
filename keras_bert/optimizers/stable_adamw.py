"""StableAdamW, AdamW with update clipping."""

import typing

import keras
from keras import ops

from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.schedules import Schedule


@keras.saving.register_keras_serializable("keras_bert")
class StableAdamW(AdamW):
    """AdamW with update clipping for suddenly large gradients.

    Each variable is updated as in `AdamW`, with its learning rate divided by

        max(1, sqrt(mean(g**2 / max(v', epsilon**2))))

    so that large gradients do not cause larger updates than in Adam, and
    clipping is not needed. The weight decay is divided by the same factor.

    Args:
        learning_rate: learning rate, or a learning rate schedule.
        global_clipnorm: maximum global norm of the gradients. If None,
            gradients are not clipped, as in the paper.
        **kwargs: arguments of `AdamW`.

    References:
        [Stable and low-precision training](https://arxiv.org/abs/2304.13013),
        algorithm 2
    """

    _is_plain = False

    def __init__(
        self,
        learning_rate: float | Schedule = 1e-4,
        global_clipnorm: float | None = None,
        **kwargs: typing.Any,
    ):
        super().__init__(
            learning_rate, global_clipnorm=global_clipnorm, **kwargs
        )

    def _rate_factor(self, gradient, variable, index, update, step):
        # The gradient of a skipped step may be NaN or infinite.
        clipped = ops.where(step.clip == 0, 0.0, gradient * step.clip)
        mean_ratio = ops.mean(
            ops.square(clipped)
            / ops.maximum(self._velocities[index], ops.square(step.epsilon))
        )
        # Square root of the bias correction, which v and epsilon include.
        root = step.epsilon / self.epsilon
        return 1.0 / ops.maximum(root * ops.sqrt(mean_ratio), 1.0)
