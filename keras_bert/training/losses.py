"""An objective for `compile`: what `model.fit` minimizes and reports."""

from keras_bert.training.objectives import PUBLISHED
from keras_bert.training.objectives import objective_named


def pretraining_losses(objective=PUBLISHED):
    """The losses of an objective, by output of the model.

    The masked-LM loss is the mean over the real predictions of the batch,
    the next-sentence loss the mean over its examples; the total is their sum.

    Args:
        objective: str, the name of one of `training.objectives`.

    Returns:
        A dict of Keras losses for `compile(loss=...)`, in float32.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1 and appendix A.2
    """
    terms = objective_named(objective).terms()
    return {term.output: term.keras_loss() for term in terms}


def pretraining_metrics(objective=PUBLISHED):
    """The accuracies of an objective, weighted by real predictions.

    Args:
        objective: str, the name of one of `training.objectives`.

    Returns:
        A dict of fresh Keras metrics by output, for
        `compile(weighted_metrics=...)`.
    """
    terms = objective_named(objective).terms()
    return {term.output: term.keras_metric() for term in terms}
