"""Learning rates over the steps of a run."""

import abc
import math

import keras
from keras import ops

from keras_bert import checks


class WarmupDecay(keras.optimizers.schedules.LearningRateSchedule, abc.ABC):
    """Rises linearly from 0, then falls along a curve from the peak.

    As in google-research/bert, the curve starts at step 0 and the warm-up
    hides its beginning: the rise ends at the peak, and the rate goes on where
    the curve is by then. A subclass gives the `shape` of the curve.

    Args:
        peak: float, the nominal learning rate.
        num_train_steps: int, the step at which the rate is `end`, for good.
        num_warmup_steps: int, steps of the rise, fewer than all.
        end: float, the last rate, at most `peak`.
    """

    def __init__(self, peak, num_train_steps, num_warmup_steps=0, end=0.0):
        checks.at_least(1, num_train_steps=num_train_steps)
        checks.between(
            0, num_train_steps - 1, num_warmup_steps=num_warmup_steps
        )
        checks.positive(peak=peak)
        checks.not_negative(end=end)
        if end > peak:
            raise ValueError(
                f"`end` must be at most `peak`. Received: end={end}, "
                f"peak={peak}."
            )
        self.peak = peak
        self.num_train_steps = num_train_steps
        self.num_warmup_steps = num_warmup_steps
        self.end = end

    @abc.abstractmethod
    def shape(self, progress):
        """Share of the way from `end` to `peak` that is left.

        Args:
            progress: float32 scalar, from 0 at step 0 to 1 at the end.

        Returns:
            float32 scalar, from 1 to 0.
        """

    def __call__(self, step):
        step = ops.cast(step, "float32")
        warmup = step / max(self.num_warmup_steps, 1)
        progress = ops.minimum(step / self.num_train_steps, 1.0)
        decay = self.end + (self.peak - self.end) * self.shape(progress)
        return ops.where(
            step < self.num_warmup_steps, self.peak * warmup, decay
        )

    def get_config(self):
        return {**vars(self)}  # The arguments.


@keras.saving.register_keras_serializable("keras_bert")
class LinearWarmupDecay(WarmupDecay):
    """Rises linearly from 0, then falls on the line from the peak to the end.

    With `end` 0 the rate after the warm-up is
    `peak * (1 - step / num_train_steps)`, BERT's own.

    Args:
        peak, num_train_steps, num_warmup_steps, end: see `WarmupDecay`.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.2
    """

    def shape(self, progress):
        return 1.0 - progress


@keras.saving.register_keras_serializable("keras_bert")
class PolynomialWarmupDecay(WarmupDecay):
    """Rises linearly from 0, then falls as a power of what is left.

    Args:
        peak, num_train_steps, num_warmup_steps, end: see `WarmupDecay`.
        power: float above 0. 1 is the line, below it the rate stays high
            longer.
    """

    def __init__(
        self, peak, num_train_steps, num_warmup_steps=0, end=0.0, power=1.0
    ):
        checks.positive(power=power)
        super().__init__(peak, num_train_steps, num_warmup_steps, end)
        self.power = power

    def shape(self, progress):
        return ops.power(1.0 - progress, self.power)


@keras.saving.register_keras_serializable("keras_bert")
class CosineWarmupDecay(WarmupDecay):
    """Rises linearly from 0, then falls along half a period of the cosine.

    Args:
        peak, num_train_steps, num_warmup_steps, end: see `WarmupDecay`.

    References:
        [SGDR](https://arxiv.org/abs/1608.03983), equation 5, without restarts
    """

    def shape(self, progress):
        return 0.5 * (1.0 + ops.cos(math.pi * progress))


@keras.saving.register_keras_serializable("keras_bert")
class WarmupStableDecay(WarmupDecay):
    """Rises linearly from 0, stays, and falls as 1 minus a root at the end.

    Until it falls the rate does not depend on the steps to come, so that a
    run can be prolonged.

    Args:
        peak, num_train_steps, num_warmup_steps, end: see `WarmupDecay`.
        decay_share: float above 0, at most 1, the share of the steps in which
            it falls.

    References:
        [ModernBERT](https://arxiv.org/abs/2412.13663), section 2.2.2;
        [Scaling laws beyond fixed training durations](
        https://arxiv.org/abs/2405.18392), section 4
    """

    def __init__(
        self,
        peak,
        num_train_steps,
        num_warmup_steps=0,
        end=0.0,
        decay_share=0.1,
    ):
        checks.fraction(decay_share=decay_share)
        super().__init__(peak, num_train_steps, num_warmup_steps, end)
        self.decay_share = decay_share

    def shape(self, progress):
        fallen = ops.maximum(1.0 - (1.0 - progress) / self.decay_share, 0.0)
        return 1.0 - ops.sqrt(fallen)
