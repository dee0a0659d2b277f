"""Training that ends with one answer to everything, as it does now and then.

References:
    [Causes and remedies](https://arxiv.org/abs/2006.04884)
"""

import numpy as np
from absl import logging


def one_label_throughout(labels):
    """Whether answers to several examples are all the same.

    Args:
        labels: array `(num_examples, ...)`.

    Returns:
        bool
    """
    labels = np.asarray(labels)
    return len(labels) > 1 and bool((labels == labels[0]).all())


def warn_if_collapsed(task, examples):
    """Says what to try if a task has learned one answer only.

    Args:
        task: `FineTunedTask`, trained.
        examples: what its `examples` gives.
    """
    if task.has_collapsed(examples):
        logging.warning(
            "The model gives every example the same answer: it has learned "
            "nothing, which happens on small data. Try another seed, a "
            "smaller learning rate, more epochs or a longer warm-up."
        )
