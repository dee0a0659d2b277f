"""Options of a run, checked before any work."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class RunOptions:
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

    num_train_steps: int
    log_steps: int = 25
    eval_steps: int = 0
    save_steps: int = 1000
    keep_states: int = 2
    steps_per_execution: int = 1
    on_nan: str = "stop"
    flops_per_example: int = 0
    matrix_product_rate: float = 0.0
    sources: str = ""

    def __post_init__(self):
        least = {
            "num_train_steps": 1,
            "log_steps": 1,
            "eval_steps": 0,
            "save_steps": 1,
            "keep_states": 1,
            "steps_per_execution": 1,
        }
        check_least(self, least)


def check_least(options, least):
    """Raise ValueError if an option is below its least value, by name."""
    for name, value in least.items():
        if getattr(options, name) < value:
            raise ValueError(
                f"`{name}` must be at least {value}. "
                f"Received: {name}={getattr(options, name)}."
            )


def check_schedule(peak, num_train_steps, num_warmup_steps, end=0.0):
    """Raise ValueError unless a `WarmupDecay` can be made of the numbers."""
    if not 0 <= num_warmup_steps < num_train_steps:
        raise ValueError(
            "`num_warmup_steps` must be at least 0 and below "
            "`num_train_steps`. Received: "
            f"num_warmup_steps={num_warmup_steps}, "
            f"num_train_steps={num_train_steps}."
        )
    if not 0 <= end <= peak or not 0 < peak < float("inf"):
        raise ValueError(
            "`peak` must be above 0, `end` at least 0 and at most `peak`. "
            f"Received: end={end}, peak={peak}."
        )
