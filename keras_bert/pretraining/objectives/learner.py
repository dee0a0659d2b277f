"""Learner: the model to train, its targets and the models to save."""

import dataclasses
from collections.abc import Callable

import keras
import numpy as np


@dataclasses.dataclass(frozen=True)
class Learner:
    """The model to train, with its targets and the models to save.

    Args:
        model: `keras.Model` from inputs of a batch to a dict of the outputs
            that the terms of the objective use. All its weights are trained.
        kept: dict from folders in the output directory, "" for the directory
            itself, to the `PretrainedModel`s that a finished run saves there.
        targets: function from the inputs of a batch to a dict of additional
            labels, such as teacher predictions. They have no gradient, and
            weights that only they need are not saved in states.
        added: dict from paths of weights of `kept[""]` to variables that a
            finished run adds to them.
    """

    model: keras.Model
    kept: dict = dataclasses.field(default_factory=dict)
    targets: Callable = lambda inputs: {}
    added: dict = dataclasses.field(default_factory=dict)

    @property
    def weight_names(self):
        """Return the names of the model's weights in a state, a list.

        They are used to load an unfinished run. Weights of models in other
        folders than "" have the name None. Two weights with the same name are
        added up by a finished run.
        """
        if not self.kept:
            return [weight.path for weight in self.model.weights]
        named = [*self.kept[""].weights.items(), *self.added.items()]
        names = {id(weight): path for path, weight in named}
        return [names.get(id(weight)) for weight in self.model.weights]

    def finish(self):
        """Copy the trained weights to the models that will be saved."""
        for path, more in self.added.items():
            weight = self.kept[""].weights[path]
            weight.assign(np.asarray(weight) + np.asarray(more))


def pretrainer_learner(bert, recipe=None, read=None):
    """Create the learner of most objectives: a model with its heads.

    Args:
        bert: `PretrainedModel` with the parts of the objective.
        recipe, read: unused; other objectives need them.
    """
    return Learner(bert.pretrainer, {"": bert})
