"""Training that ends with one answer to everything, which small data risks.

References:
    [Causes and remedies](https://arxiv.org/abs/2006.04884)
"""

import collections

import numpy as np
from absl import logging

# CoLA's collapsed models have 0.012, one on STS-B had 0.005.
_LEAST_VARIETY = 0.05
# Share of the errors of always giving the commonest label.
_LEAST_GAIN = 0.1


def probe_indices(count, most=512):
    """Chooses examples that show whether a model has collapsed.

    Args:
        count: int, how many examples there are.
        most: int, how many are enough.

    Returns:
        int array of indices, from first to last.
    """
    return np.linspace(0, count - 1, min(count, most), dtype=np.int64)


def is_nearly_constant(answers, targets):
    """Compares how often answers differ with how often their targets do.

    Args:
        answers, targets: lists of one length, of hashable values or of arrays
            of int or bool.

    Returns:
        bool, True where one answer is given to nearly all examples, and more
        of the targets are others by far.
    """
    variety = _variety(targets)
    return variety > 0 and _variety(answers) <= _LEAST_VARIETY * variety


def spread_too_little(answers, targets):
    """Compares how far numbers spread with how far their targets do: a bool."""
    spread = np.std(targets, axis=0).mean()
    found = np.std(answers, axis=0).mean()
    return bool(spread > 0 and found <= _LEAST_VARIETY * spread)


def warn_if_collapsed(task, examples, learned, history):
    """Warn if a task gives one answer only, or has learned next to nothing.

    Args:
        task: `FineTunedTask`, trained.
        examples: `Encoded` with targets, to judge the task by.
        learned: `Encoded`, the examples that it has learned from.
        history: dict of lists, the logged values of each epoch.
    """
    names = [name for name in history if name.endswith("accuracy")]
    accuracies = [history[n][-1] for n in names if not n.startswith("val_")]
    if task.collapse(examples):
        logging.warning(
            "Training has failed: the model gives the same answer to all "
            "examples, or nearly all, though they differ. It happens on "
            "small data. Try %s.",
            task.remedies,
        )
    elif accuracies:
        errors = _variety(learned.targets[learned.weights > 0])
        if 1 - accuracies[0] > (1 - _LEAST_GAIN) * errors > 0:
            logging.warning(
                "Training has hardly helped: the training accuracy of the last "
                "epoch is %.3f, and that of always answering the commonest "
                "label is %.3f. Try more epochs or another learning_rate; "
                "small and untrained models need a larger one, such as 1e-3.",
                accuracies[0],
                1 - errors,
            )


def _variety(values):
    """Computes the share of values that are others than the commonest one."""
    if not len(values):
        return 0.0
    counts = collections.Counter(map(_hashable, values))
    return 1 - max(counts.values()) / len(values)


def _hashable(value):
    return value.tobytes() if isinstance(value, np.ndarray) else value
