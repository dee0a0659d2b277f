"""Fine-tuning several times, to keep the best and to know the spread."""

import dataclasses
import statistics

import keras
from absl import logging

from keras_bert.tasks.fine_tuning.recipe import Recipe


@dataclasses.dataclass(frozen=True)
class Trial:
    """What came of one fine-tuning.

    Attributes:
        recipe: `Recipe`.
        scores: dict of floats, the metrics on the validation data.
        has_collapsed: bool, whether it gives one answer to everything.
    """

    recipe: Recipe
    scores: dict
    has_collapsed: bool


def try_recipes(make, recipes, train, dev, callbacks=lambda number: ()):
    """Fine-tunes a task by each recipe.

    Args:
        make: function without arguments that gives a fresh `FineTunedTask`.
            Seeds are set before.
        recipes: list of `Recipe`.
        train: tuple of what to learn from, as `evaluate` of the task takes
            it: texts and labels, or what has both.
        dev: tuple of what to choose by, likewise.
        callbacks: function from the number of a run, from 0, to a list of
            Keras callbacks.

    Returns:
        The task that is best by its `main_metric`, the first of equals, and
        a list of `Trial`, one for each recipe.
    """
    best, most, trials = None, None, []
    for number, recipe in enumerate(recipes):
        logging.info("Run %d of %d: %s", number + 1, len(recipes), recipe)
        keras.utils.set_random_seed(recipe.seed)
        task = make()
        task.fit(
            *train,
            validation_data=dev,
            callbacks=list(callbacks(number)),
            **dataclasses.asdict(recipe),
        )
        examples = task.validation_examples(dev)
        scores = task.scores(examples)
        trials.append(Trial(recipe, scores, task.has_collapsed(examples)))
        if best is None or scores[task.main_metric] > most:
            best, most = task, scores[task.main_metric]
    return best, trials


def summary(trials, main_metric):
    """What several runs say together.

    Args:
        trials: list of `Trial`.
        main_metric: str, by which they are compared.

    Returns:
        A dict for JSON: `metric`; `best`, the number of the best run from 0;
        `runs`; and `recipes`, each with the `mean` of the metric over its
        seeds, the sample standard `deviation` (None of one run), the `best`
        and `num_collapsed`.
    """
    values = [trial.scores[main_metric] for trial in trials]
    groups = {}
    for trial in trials:
        recipe = dataclasses.asdict(trial.recipe)
        del recipe["seed"]
        groups.setdefault(tuple(recipe.items()), []).append(trial)
    return {
        "metric": main_metric,
        "best": values.index(max(values)),
        "recipes": [
            {"recipe": dict(recipe), **_spread(group, main_metric)}
            for recipe, group in groups.items()
        ],
        "runs": [dataclasses.asdict(trial) for trial in trials],
    }


def _spread(trials, main_metric):
    values = [trial.scores[main_metric] for trial in trials]
    return {
        "mean": statistics.fmean(values),
        "deviation": statistics.stdev(values) if len(values) > 1 else None,
        "best": max(values),
        "num_collapsed": sum(trial.has_collapsed for trial in trials),
    }
