"""Learning rate schedules with linear warmup."""

import abc
import math
import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.typing import Tensor

Schedule: typing.TypeAlias = keras.optimizers.schedules.LearningRateSchedule


class WarmupDecay(Schedule, abc.ABC):
    """Base class for schedules with linear warmup and decay.

    As in google-research/bert, the decay is computed from step 0: after the
    warmup, the rate continues with the decayed value of the current step.
    Subclasses define the `shape` of the decay.

    Args:
        peak: peak learning rate.
        num_train_steps: number of training steps, after which the rate is
            `end`.
        num_warmup_steps: number of warmup steps; less than `num_train_steps`.
        end: final learning rate, at most `peak`.
    """

    def __init__(
        self,
        peak: float,
        num_train_steps: int,
        num_warmup_steps: int = 0,
        end: float = 0.0,
    ):
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
    def shape(self, progress: Tensor) -> Tensor:
        """Return the decay factor, where 1 means `peak` and 0 means `end`.

        Args:
            progress: float32 scalar, from 0 at step 0 to 1 at the end.

        Returns:
            float32 scalar, from 1 to 0.
        """

    def __call__(self, step: Tensor) -> Tensor:
        step = ops.cast(step, "float32")
        warmup = step / max(self.num_warmup_steps, 1)
        progress = ops.minimum(step / self.num_train_steps, 1.0)
        decay = self.end + (self.peak - self.end) * self.shape(progress)
        return ops.where(
            step < self.num_warmup_steps, self.peak * warmup, decay
        )

    def get_config(self) -> dict:
        return {**vars(self)}  # `vars` holds the arguments.


@keras.saving.register_keras_serializable("keras_bert")
class LinearWarmupDecay(WarmupDecay):
    """Schedule with linear warmup and linear decay from `peak` to `end`.

    With `end` 0, the rate after the warmup is
    `peak * (1 - step / num_train_steps)`, as for BERT.

    Args:
        peak, num_train_steps, num_warmup_steps, end: see `WarmupDecay`.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.2
    """

    def shape(self, progress: Tensor) -> Tensor:
        return 1.0 - progress


@keras.saving.register_keras_serializable("keras_bert")
class PolynomialWarmupDecay(WarmupDecay):
    """Schedule with linear warmup and polynomial decay.

    Args:
        peak, num_train_steps, num_warmup_steps, end: see `WarmupDecay`.
        power: power of the decay, above 0. With 1, the decay is linear; with
            lower values, the rate stays high longer.
    """

    def __init__(
        self,
        peak: float,
        num_train_steps: int,
        num_warmup_steps: int = 0,
        end: float = 0.0,
        power: float = 1.0,
    ):
        checks.positive(power=power)
        super().__init__(peak, num_train_steps, num_warmup_steps, end)
        self.power = power

    def shape(self, progress: Tensor) -> Tensor:
        return ops.power(1.0 - progress, self.power)


@keras.saving.register_keras_serializable("keras_bert")
class CosineWarmupDecay(WarmupDecay):
    """Schedule with linear warmup and cosine decay.

    Args:
        peak, num_train_steps, num_warmup_steps, end: see `WarmupDecay`.

    References:
        [SGDR](https://arxiv.org/abs/1608.03983), equation 5, without restarts
    """

    def shape(self, progress: Tensor) -> Tensor:
        return 0.5 * (1.0 + ops.cos(math.pi * progress))


@keras.saving.register_keras_serializable("keras_bert")
class WarmupStableDecay(WarmupDecay):
    """Schedule with linear warmup, a constant rate and 1 - sqrt decay.

    Before the decay, the rate does not depend on `num_train_steps`, so that a
    run can be extended.

    Args:
        peak, num_train_steps, num_warmup_steps, end: see `WarmupDecay`.
        decay_share: fraction of the training steps in which the rate decays,
            above 0 and at most 1.

    References:
        [ModernBERT](https://arxiv.org/abs/2412.13663), section 2.2.2;
        [Scaling laws beyond fixed training durations](
        https://arxiv.org/abs/2405.18392), section 4
    """

    def __init__(
        self,
        peak: float,
        num_train_steps: int,
        num_warmup_steps: int = 0,
        end: float = 0.0,
        decay_share: float = 0.1,
    ):
        checks.fraction(decay_share=decay_share)
        super().__init__(peak, num_train_steps, num_warmup_steps, end)
        self.decay_share = decay_share

    def shape(self, progress: Tensor) -> Tensor:
        decayed = ops.maximum(1.0 - (1.0 - progress) / self.decay_share, 0.0)
        return 1.0 - ops.sqrt(decayed)
