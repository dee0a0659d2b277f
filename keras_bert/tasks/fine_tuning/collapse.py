"""Training that ends with one answer to everything, as it does now and then.

References:
    [Causes and remedies](https://arxiv.org/abs/2006.04884)
"""

import collections

import numpy as np
from absl import logging

# So many show whether all answers are the same.
_EXAMPLES_TO_TELL = 512


def examples_to_tell(count, most=_EXAMPLES_TO_TELL):
    """Examples, from first to last, that show whether a model has collapsed.

    Args:
        count: int, how many examples there are.
        most: int, how many are enough.

    Returns:
        int array of indices; of all examples, if there are less.
    """
    return np.linspace(0, count - 1, min(count, most), dtype=np.int64)


def is_one_throughout(answers, share=1.0):
    """Whether answers to several examples are all, or mostly, the same.

    Args:
        answers: list of hashable values, or of arrays of int.
        share: float, of the examples, that must have the same answer.

    Returns:
        bool
    """
    if len(answers) < 2:
        return False
    values = map(_hashable, answers)
    ((_, count),) = collections.Counter(values).most_common(1)
    return count >= share * len(answers)


def warn_if_collapsed(task, examples):
    """Says what to try if a task has learned one answer only.

    Args:
        task: `FineTunedTask`, trained.
        examples: what its `labelled` gives.
    """
    if task.has_collapsed(examples):
        logging.warning(
            "Training has failed: the model gives the same answer to all "
            "examples, or nearly all, though they differ. It happens on "
            "small data. Try %s.",
            task.remedies,
        )


def _hashable(answer):
    return answer.tobytes() if isinstance(answer, np.ndarray) else answer
