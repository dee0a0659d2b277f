"""Trainable model for a pre-training objective."""

import dataclasses
from collections.abc import Callable

import keras
import numpy as np


@dataclasses.dataclass(frozen=True)
class TrainableModels:
    """Trainable model for a pre-training objective.

    Args:
        model: `keras.Model` that maps the inputs of a batch to a dict of the
            outputs for the loss terms. All its weights are trained.
        kept: dict mapping folders in the output directory ("" for the directory
            itself) to the `PretrainedModel`s that a finished run saves there.
        targets: callable that maps the inputs of a batch to a dict of
            additional labels, such as teacher predictions. Labels have no
            gradient. Weights that are used only for labels are not saved in
            training states.
        added: dict mapping weight paths of `kept[""]` to variables that a
            finished run adds to these weights.
    """

    model: keras.Model
    kept: dict = dataclasses.field(default_factory=dict)
    targets: Callable = lambda inputs: {}
    added: dict = dataclasses.field(default_factory=dict)

    @property
    def weight_names(self):
        """Return a list of names for the model's weights in a training state.

        The names are used to load the state of an unfinished run. Weights of
        models in folders other than "" have the name None. A finished run adds
        up weights with the same name.
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


def pretrainer_models(bert, recipe=None, read=None):
    """Create the `TrainableModels` for a model with its heads.

    Args:
        bert: `PretrainedModel` with the parts of the objective.
        recipe, read: not used; part of the interface of objectives.
    """
    return TrainableModels(bert.pretrainer, {"": bert})
