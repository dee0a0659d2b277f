"""Search for the best fine-tuning recipe."""

import dataclasses
import shutil
import statistics

from absl import logging

from keras_bert.files.atomic import read_json
from keras_bert.files.atomic import write_json
from keras_bert.tasks.training.recipe import Recipe

_TRIAL = "trial.json"
_MODEL = "model"

# Glob pattern of the result files of finished trials.
FINISHED = f"run-*/{_TRIAL}"


@dataclasses.dataclass(frozen=True)
class Trial:
    """Result of a fine-tuning run.

    Args:
        recipe: `Recipe`.
        metric: str, metric to compare trials by; higher is better.
        scores: dict of floats, the metrics on the validation data.
        has_collapsed: bool, whether all predictions are the same.
    """

    recipe: Recipe
    metric: str
    scores: dict
    has_collapsed: bool

    @property
    def score(self):
        """Value of `metric` on the validation data (float)."""
        return self.scores[self.metric]


def best_of(trials):
    """Return the index of the best trial (the first one in case of a tie)."""
    scores = [trial.score for trial in trials]
    return scores.index(max(scores))


def summary(trials):
    """Summarize several trials.

    Args:
        trials: list of `Trial` with the same metric.

    Returns:
        A JSON-serializable dict: `metric`; `best`, the index of the best trial;
        `runs`, the trials; and `recipes`, each with the `mean` of the metric
        over the seeds, the sample standard `deviation` (None for one seed), the
        `best` value and `num_collapsed`.
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
    """Fine-tune with each recipe, skipping finished trials.

    The folders `run-1`, `run-2` and so on contain the files that `learn`
    writes and, at the end, the `Trial`. The best one also contains the model.

    Args:
        learn: function that takes a recipe and its existing folder, and
            returns a `FineTunedTask` and its `Trial`.
        recipes: list of `Recipe`.
        directory: `pathlib.Path` of an existing directory. It may contain the
            finished trials of an interrupted run with the same recipes.

    Returns:
        A list of `Trial`, one for each recipe, and the folder of the best
        model.
    """
    folders, trials = _folders(directory, len(recipes)), []
    for folder, recipe in zip(folders, recipes, strict=True):
        ended = read_json(folder / _TRIAL)
        if ended is not None:
            logging.info("%s is already finished.", folder.name)
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
            write_json(folder / _TRIAL, dataclasses.asdict(trial))
        best = folders[best_of(trials)]
        for other in folders[: len(trials)]:
            if other != best:
                shutil.rmtree(other / _MODEL, ignore_errors=True)
    return trials, best / _MODEL


def remove_trials(directory, count):
    """Delete the temporary files of `run_trials`.

    If there is only one trial, its other files are moved to the directory.
    """
    folders = _folders(directory, count)
    for folder in folders:
        # Delete the trial file first, so that a trial file implies a model.
        (folder / _TRIAL).unlink()
        shutil.rmtree(folder / _MODEL, ignore_errors=True)
    if count == 1:
        for path in folders[0].iterdir():
            path.rename(directory / path.name)
        folders[0].rmdir()


def _folders(directory, count):
    return [directory / f"run-{number}" for number in range(1, count + 1)]
