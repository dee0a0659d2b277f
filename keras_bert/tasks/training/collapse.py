"""Detection of models that predict the same answer for all examples.

References:
    [Causes and remedies](https://arxiv.org/abs/2006.04884)
"""

import collections
import collections.abc
import typing

import numpy as np
from absl import logging

if typing.TYPE_CHECKING:
    from keras_bert.tasks.fine_tuned_task import FineTunedTask
    from keras_bert.tasks.training.encoded import Encoded

# Minimum ratio of the variety of predictions to the variety of targets. A model
# that collapsed on CoLA has 0.012; one on STS-B has 0.005.
_MIN_VARIETY = 0.05
# Relative to the error of always predicting the most frequent label.
_MIN_GAIN = 0.1
# Relative to the mean loss of the first epoch.
_MIN_DECREASE = 0.01


def probe_indices(count: int, limit: int = 512) -> np.ndarray:
    """Select examples to check a trained model.

    Args:
        count: number of examples.
        limit: maximum number of examples to select.

    Returns:
        int array of evenly spaced indices.
    """
    return np.linspace(0, count - 1, min(count, limit), dtype=np.int64)


def is_nearly_constant(
    answers: collections.abc.Sequence | np.ndarray,
    targets: collections.abc.Sequence | np.ndarray,
) -> bool:
    """Return True if predictions vary far less than their targets.

    Args:
        answers, targets: values of the same length that are hashable, or arrays
            of int or bool.
    """
    variety = _variety(targets)
    return variety > 0 and _variety(answers) <= _MIN_VARIETY * variety


def are_numbers_nearly_constant(
    answers: np.ndarray, targets: np.ndarray
) -> bool:
    """Return True if numbers vary far less than their targets."""
    spread = np.std(targets, axis=0).mean()
    answer_spread = np.std(answers, axis=0).mean()
    return bool(spread > 0 and answer_spread <= _MIN_VARIETY * spread)


def warn_if_collapsed(
    task: "FineTunedTask",
    examples: "Encoded",
    learned: "Encoded",
    history: dict[str, list[float]],
) -> None:
    """Warn if a task predicts a constant or has learned almost nothing.

    Args:
        task: the trained task.
        examples: examples with targets to compare with the predictions.
        learned: training examples.
        history: dict mapping names to the list of values logged in each epoch.
    """
    names = [name for name in history if name.endswith("accuracy")]
    accuracies = [history[n][-1] for n in names if not n.startswith("val_")]
    if task._collapse(examples):
        logging.warning(
            "Training has failed: the model gives the same answer to all "
            "examples, or nearly all, although their labels differ. This can "
            "happen with little training data. Try %s.",
            task.remedies,
        )
    elif accuracies:
        errors = _variety(learned.targets[learned.weights > 0])
        if 1 - accuracies[0] > (1 - _MIN_GAIN) * errors > 0:
            logging.warning(
                "The model has learned little: its training accuracy in the "
                "last epoch is %.3f, and always predicting the most frequent "
                "label gives %.3f. Try more epochs or another learning_rate; "
                "small and untrained models need a larger one, such as 1e-3.",
                accuracies[0],
                1 - errors,
            )


def warn_if_unchanged(losses: list[float]) -> None:
    """Warn if the loss has not decreased from the first epoch to the last.

    Args:
        losses: mean loss of each epoch.
    """
    if len(losses) > 1 and losses[-1] > (1 - _MIN_DECREASE) * losses[0]:
        logging.warning(
            "The loss has hardly decreased, from %.4f in the first epoch to "
            "%.4f in the last. Try a larger learning_rate or more epochs.",
            losses[0],
            losses[-1],
        )


def _variety(values: collections.abc.Sequence | np.ndarray) -> float:
    """Return the fraction of values that differ from the most frequent one."""
    if not len(values):
        return 0.0
    counts = collections.Counter(map(_hashable, values))
    return 1 - max(counts.values()) / len(values)


def _hashable(value: typing.Any) -> collections.abc.Hashable:
    return value.tobytes() if isinstance(value, np.ndarray) else value
