"""Options of a pre-training run that do not change its weights."""

import dataclasses
from typing import Annotated

from keras_bert import checks
from keras_bert.checks import Check
from keras_bert.pretraining.job import choices


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

    num_train_steps: Annotated[int, Check(checks.at_least, 1)] = 100_000
    log_steps: Annotated[int, Check(checks.at_least, 1)] = 25
    eval_steps: Annotated[int, Check(checks.at_least, 0)] = 0
    save_checkpoints_steps: Annotated[int, Check(checks.at_least, 1)] = 1000
    keep_checkpoint_max: Annotated[int, Check(checks.at_least, 1)] = 2
    steps_per_execution: Annotated[int, Check(checks.at_least, 1)] = 1
    on_nan: Annotated[str, Check(checks.one_of, choices.ON_NAN)] = "stop"
    sources: str = ""
