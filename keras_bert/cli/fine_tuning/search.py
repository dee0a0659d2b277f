"""Search over fine-tuning recipes that keeps the best model."""

import dataclasses
import shutil
import statistics

from absl import logging

from keras_bert import artifacts
from keras_bert.tasks.fine_tuning.recipe import Recipe

_TRIAL = "trial.json"
_MODEL = "model"

# The files that exist once a fine-tuning has ended.
FINISHED = f"run-*/{_TRIAL}"


@dataclasses.dataclass(frozen=True)
class Trial:
    """The outcome of one fine-tuning.

    Args:
        recipe: `Recipe`.
        metric: str, by which trials are compared; more is better.
        scores: dict of floats, the metrics on the validation data.
        has_collapsed: bool, whether all answers are the same.
    """

    recipe: Recipe
    metric: str
    scores: dict
    has_collapsed: bool

    @property
    def score(self):
        """The score that is compared, a float."""
        return self.scores[self.metric]


def best_of(trials):
    """Return the index of the best trial, the first of equals."""
    scores = [trial.score for trial in trials]
    return scores.index(max(scores))


def summary(trials):
    """Summarize several runs.

    Args:
        trials: list of `Trial`, of one metric.

    Returns:
        A dict for JSON: `metric`; `best`, the index of the best run; `runs`;
        and `recipes`, each with the `mean` of the metric over its seeds, the
        sample standard `deviation` (None for one run), the `best` and
        `num_collapsed`.
    """
    runs, groups = [dataclasses.asdict(trial) for trial in trials], {}
    for trial, run in zip(trials, runs, strict=True):
        recipe = {k: x for k, x in run["recipe"].items() if k != "seed"}
        groups.setdefault(tuple(recipe.items()), []).append(trial)
    recipes = []
    for recipe, group in groups.items():
        values = [trial.score for trial in group]
        deviation = statistics.stdev(values) if len(values) > 1 else None
        recipes.append(
            {
                "recipe": dict(recipe),
                "mean": statistics.fmean(values),
                "deviation": deviation,
                "best": max(values),
                "num_collapsed": sum(trial.has_collapsed for trial in group),
            }
        )
    return {
        "metric": trials[0].metric,
        "best": best_of(trials),
        "recipes": recipes,
        "runs": runs,
    }


def run_trials(learn, recipes, directory):
    """Fine-tune by each recipe, except for those that have ended already.

    The folders `run-1`, `run-2` and so on hold the files that `learn` writes
    and, once it has ended, the `Trial`; the best one also holds the model.

    Args:
        learn: function of a recipe and of its folder, which exists, that
            returns a `FineTunedTask` and its `Trial`.
        recipes: list of `Recipe`.
        directory: `pathlib.Path`, existing. It may hold the folders, with all
            that `FINISHED` matches, of a run of the same recipes that was
            killed.

    Returns:
        A list of `Trial`, one for each recipe, and the folder of the best
        model.
    """
    folders, trials = _folders(directory, len(recipes)), []
    for folder, recipe in zip(folders, recipes, strict=True):
        ended = artifacts.read_json(folder / _TRIAL)
        if ended is not None:
            logging.info("%s has ended before.", folder.name)
            trials.append(
                Trial(**{**ended, "recipe": Recipe(**ended["recipe"])})
            )
        else:
            logging.info("%s of %d: %s", folder.name, len(recipes), recipe)
            folder.mkdir()
            task, trial = learn(recipe, folder)
            trials.append(trial)
            if folders[best_of(trials)] == folder:
                task.save(folder / _MODEL)
            artifacts.write_json(folder / _TRIAL, dataclasses.asdict(trial))
        best = folders[best_of(trials)]
        for other in folders[: len(trials)]:
            if other != best:
                shutil.rmtree(other / _MODEL, ignore_errors=True)
    return trials, best / _MODEL


def remove_trials(directory, count):
    """Remove the files that only `run_trials` needs.

    The other files of a single run are moved to the directory.
    """
    folders = _folders(directory, count)
    for folder in folders:
        # In this order: a run that looks finished has its model.
        (folder / _TRIAL).unlink()
        shutil.rmtree(folder / _MODEL, ignore_errors=True)
    if count == 1:
        for path in folders[0].iterdir():
            path.rename(directory / path.name)
        folders[0].rmdir()


def _folders(directory, count):
    return [directory / f"run-{number}" for number in range(1, count + 1)]
