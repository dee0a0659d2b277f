"""Options of a pre-training run that do not change its weights."""

import dataclasses

from keras_bert import checks
from keras_bert.pretraining.run import choices


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunOptions(checks.Checked):
    """Options of a run that do not change the weights.

    Args:
        num_train_steps: number of optimizer steps. Skipped batches do not
            count.
        log_steps: number of steps between logged metrics.
        eval_steps: number of steps between evaluations. If 0, evaluation runs
            only before and after training.
        save_checkpoints_steps: number of steps between saved training
            states.
        keep_checkpoint_max: number of saved training states to keep.
        steps_per_execution: number of steps in one graph call.
        on_nan: how to handle NaN gradients.
        sources: names of the data to show in error messages.

    Raises:
        ValueError: a number is too small.
    """

    num_train_steps: int = checks.field(100_000, checks.at_least, 1)
    log_steps: int = checks.field(25, checks.at_least, 1)
    eval_steps: int = checks.field(0, checks.at_least, 0)
    save_checkpoints_steps: int = checks.field(1000, checks.at_least, 1)
    keep_checkpoint_max: int = checks.field(2, checks.at_least, 1)
    steps_per_execution: int = checks.field(1, checks.at_least, 1)
    on_nan: str = checks.field("stop", checks.one_of, choices.ON_NAN)
    sources: str = ""
