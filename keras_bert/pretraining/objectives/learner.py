"""A model that learns, with all that an objective gives it."""

import dataclasses
from collections.abc import Callable

import keras
import numpy as np


@dataclasses.dataclass(frozen=True)
class Learner:
    """A model that learns, with all that an objective gives it.

    Args:
        model: `keras.Model` from inputs of a batch to a dict of the outputs
            that the terms of the objective read. All its weights are trained.
        kept: dict from folders in the output directory, "" for itself, to the
            `PretrainedModel`s that a finished run leaves there.
        targets: function from the inputs of a batch to a dict of further
            labels, such as those of a teacher. No gradient flows into them,
            and no state holds the weights that only they need.
        added: dict from the paths of weights of `kept[""]` to variables that
            a finished run adds to them.
    """

    model: keras.Model
    kept: dict = dataclasses.field(default_factory=dict)
    targets: Callable = lambda inputs: {}
    added: dict = dataclasses.field(default_factory=dict)

    @property
    def weight_names(self):
        """The names of the model's weights in a state, a list.

        By these a run that is not finished is read; what it would leave in
        a folder of its own has none, and so is None. Two of one name are what
        a finished run would add up.
        """
        if not self.kept:
            return [weight.path for weight in self.model.weights]
        named = [*self.kept[""].weights.items(), *self.added.items()]
        names = {id(weight): path for path, weight in named}
        return [names.get(id(weight)) for weight in self.model.weights]

    def finish(self):
        """Makes of the trained weights those of the models that are kept."""
        for path, more in self.added.items():
            weight = self.kept[""].weights[path]
            weight.assign(np.asarray(weight) + np.asarray(more))


def pretrainer_learner(bert, recipe=None, read=None):
    """Makes the learner of most objectives: a model with its heads.

    Args:
        bert: `PretrainedModel` with the parts of the objective.
        recipe, read: what other objectives need.
    """
    return Learner(bert.pretrainer, {"": bert})
