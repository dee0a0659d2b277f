"""Fine-tuning several times, to keep the best and to know the spread."""

import dataclasses
import shutil
import statistics

import keras
from absl import logging

from keras_bert import artifacts
from keras_bert.tasks.fine_tuning.recipe import Recipe

_TRIAL = "trial.json"
_MODEL = "model"

# The files that tell that a fine-tuning has ended.
FINISHED = f"run-*/{_TRIAL}"


@dataclasses.dataclass(frozen=True)
class Trial:
    """The outcome of one fine-tuning.

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


def try_recipe(make, recipe, train, dev, callbacks=(), teacher=None):
    """Fine-tunes a task by a recipe.

    Args:
        make: function without arguments that gives a fresh `FineTunedTask`.
            Seeds are set before.
        recipe: `Recipe`.
        train, dev: tuples of what to learn from and what to choose by, as
            `evaluate` of the task takes it.
        callbacks: list of Keras callbacks.
        teacher: as `fit` of the task takes it.

    Returns:
        The task and its `Trial`.
    """
    keras.utils.set_random_seed(recipe.seed)
    task = make()
    task.fit(
        *train,
        validation_data=dev,
        callbacks=list(callbacks),
        teacher=teacher,
        **dataclasses.asdict(recipe),
    )
    examples = task.labelled(*dev)
    return task, Trial(
        recipe,
        task.main_metric,
        task.scores(examples),
        task.collapse(examples),
    )


def best_of(trials):
    """Finds the number of the best trial, from 0; the first of equals."""
    scores = [trial.score for trial in trials]
    return scores.index(max(scores))


def summary(trials):
    """Summarizes several runs.

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


def run_trials(learn, recipes, directory):
    """Fine-tunes by each recipe, except for those that have ended already.

    The folders `run-1`, `run-2` and so on get what `learn` writes and, once
    it has ended, the `Trial`; the best one has the model besides.

    Args:
        learn: function of a recipe and of its folder, which exists, that
            gives a `FineTunedTask` and its `Trial`.
        recipes: list of `Recipe`.
        directory: `pathlib.Path`, existing. It may hold folders of a run that
            was killed, of the same recipes, with all that `FINISHED` matches.

    Returns:
        A list of `Trial`, one for each recipe, and the folder of the best
        model.
    """
    folders, trials = _folders(directory, len(recipes)), []
    for number, (recipe, folder) in enumerate(
        zip(recipes, folders, strict=True), 1
    ):
        ended = artifacts.read_json(folder / _TRIAL)
        if ended is None:
            logging.info("Run %d of %d: %s", number, len(recipes), recipe)
            folder.mkdir()
            trials.append(_learned(learn, recipe, folder, trials))
        else:
            logging.info("Run %d of %d has ended before.", number, len(recipes))
            trials.append(
                Trial(**{**ended, "recipe": Recipe(**ended["recipe"])})
            )
        best = folders[best_of(trials)]
        for other in folders[:number]:
            if other != best:
                shutil.rmtree(other / _MODEL, ignore_errors=True)
    return trials, best / _MODEL


def _learned(learn, recipe, folder, trials):
    """Returns the new `Trial`, written when the model is, if it is the best."""
    task, trial = learn(recipe, folder)
    if best_of([*trials, trial]) == len(trials):
        task.save(folder / _MODEL)
    artifacts.write_json(folder / _TRIAL, dataclasses.asdict(trial))
    return trial


def remove_trials(directory, count):
    """Removes the models and all else that only `run_trials` needs.

    The files that are left of a single run are moved to the directory.
    """
    folders = _folders(directory, count)
    for folder in folders:
        # In this order, for nothing may look finished and lack its model.
        (folder / _TRIAL).unlink()
        shutil.rmtree(folder / _MODEL, ignore_errors=True)
    if count == 1:
        for path in folders[0].iterdir():
            path.rename(directory / path.name)
        folders[0].rmdir()


def _folders(directory, count):
    return [directory / f"run-{number}" for number in range(1, count + 1)]
