"""Fine-tuning several times, to keep the best and to know the spread."""

import dataclasses
import statistics

import keras

from keras_bert.tasks.fine_tuning.recipe import Recipe


@dataclasses.dataclass(frozen=True)
class Trial:
    """What came of one fine-tuning.

    Attributes:
        recipe: `Recipe`.
        metric: str, by which trials are compared; more is better.
        scores: dict of floats, the metrics on the validation data.
        has_collapsed: bool, whether it gives one answer to everything.
    """

    recipe: Recipe
    metric: str
    scores: dict
    has_collapsed: bool

    @property
    def score(self):
        """The score that counts, a float."""
        return self.scores[self.metric]


def try_recipe(make, recipe, train, dev, callbacks=()):
    """Fine-tunes a task by a recipe.

    Args:
        make: function without arguments that gives a fresh `FineTunedTask`.
            Seeds are set before.
        recipe: `Recipe`.
        train: tuple of what to learn from, as `evaluate` of the task takes
            it: texts and labels, or what has both.
        dev: tuple of what to choose by, likewise.
        callbacks: list of Keras callbacks.

    Returns:
        The task and its `Trial`.
    """
    keras.utils.set_random_seed(recipe.seed)
    task = make()
    task.fit(
        *train,
        validation_data=dev,
        callbacks=list(callbacks),
        **dataclasses.asdict(recipe),
    )
    examples = task.labelled(*dev)
    return task, Trial(
        recipe,
        task.main_metric,
        task.scores(examples),
        task.has_collapsed(examples),
    )


def best_of(trials):
    """The number of the best of some trials, from 0; the first of equals."""
    scores = [trial.score for trial in trials]
    return scores.index(max(scores))


def summary(trials):
    """What several runs say together.

    Args:
        trials: list of `Trial`, of one metric.

    Returns:
        A dict for JSON: `metric`; `best`, the number of the best run from 0;
        `runs`; and `recipes`, each with the `mean` of the metric over its
        seeds, the sample standard `deviation` (None of one run), the `best`
        and `num_collapsed`.
    """
    groups = {}
    for trial in trials:
        recipe = dataclasses.asdict(trial.recipe)
        del recipe["seed"]
        groups.setdefault(tuple(recipe.items()), []).append(trial)
    return {
        "metric": trials[0].metric,
        "best": best_of(trials),
        "recipes": [
            {"recipe": dict(recipe), **_spread(group)}
            for recipe, group in groups.items()
        ],
        "runs": [dataclasses.asdict(trial) for trial in trials],
    }


def _spread(trials):
    values = [trial.score for trial in trials]
    return {
        "mean": statistics.fmean(values),
        "deviation": statistics.stdev(values) if len(values) > 1 else None,
        "best": max(values),
        "num_collapsed": sum(trial.has_collapsed for trial in trials),
    }
