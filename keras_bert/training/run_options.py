"""Options of a run, checked before any work."""

import dataclasses

from keras_bert import checks
from keras_bert.training import choices


@dataclasses.dataclass(frozen=True)
class RunOptions(checks.Checked):
    """Options of a run that do not change the weights.

    Args:
        num_train_steps: int, optimizer steps; a batch that is skipped is
            none.
        log_steps: int, steps between points of the curve.
        eval_steps: int, steps between evaluations; 0 evaluates only before
            and after.
        save_steps: int, steps between states to go on from.
        keep_states: int, how many of them stay.
        steps_per_execution: int, steps between looks at the clock, in one
            graph call.
        on_nan: "stop" or "skip", what to do with a batch whose gradients are
            not finite.
        flops_per_example: int, of the matrix products of a training step.
        matrix_product_rate: float, operations a second of the machine.
        sources: str, what the data are, for messages.

    Raises:
        ValueError: a number is too small.
    """

    num_train_steps: int = checks.field(dataclasses.MISSING, checks.at_least, 1)
    log_steps: int = checks.field(25, checks.at_least, 1)
    eval_steps: int = checks.field(0, checks.at_least, 0)
    save_steps: int = checks.field(1000, checks.at_least, 1)
    keep_states: int = checks.field(2, checks.at_least, 1)
    steps_per_execution: int = checks.field(1, checks.at_least, 1)
    on_nan: str = checks.field("stop", checks.one_of, choices.ON_NAN)
    flops_per_example: int = 0
    matrix_product_rate: float = 0.0
    sources: str = ""
