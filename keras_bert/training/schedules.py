"""Learning rates over the steps of a run."""

import keras
from keras import ops


@keras.saving.register_keras_serializable("keras_bert")
class LinearWarmupDecay(keras.optimizers.schedules.LearningRateSchedule):
    """Rises linearly from 0, then falls on the line from the peak to 0.

    As in google-research/bert, the decay line starts at step 0: after the
    warm-up the rate goes on at `peak * (1 - step / num_train_steps)`.

    Args:
        peak: float, the nominal learning rate.
        num_train_steps: int, the step at which the rate is 0.
        num_warmup_steps: int, steps of the rise, fewer than all.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.2
    """

    def __init__(self, peak, num_train_steps, num_warmup_steps=0):
        if not 0 <= num_warmup_steps < num_train_steps:
            raise ValueError(
                "`num_warmup_steps` must be at least 0 and below "
                "`num_train_steps`. Received: "
                f"num_warmup_steps={num_warmup_steps}, "
                f"num_train_steps={num_train_steps}."
            )
        self.peak = peak
        self.num_train_steps = num_train_steps
        self.num_warmup_steps = num_warmup_steps

    def __call__(self, step):
        step = ops.cast(step, "float32")
        warmup = step / max(self.num_warmup_steps, 1)
        decay = ops.maximum(1.0 - step / self.num_train_steps, 0.0)
        return self.peak * ops.where(
            step < self.num_warmup_steps, warmup, decay
        )

    def get_config(self):
        return {
            "peak": self.peak,
            "num_train_steps": self.num_train_steps,
            "num_warmup_steps": self.num_warmup_steps,
        }
