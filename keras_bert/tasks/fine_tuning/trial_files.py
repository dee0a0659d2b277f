"""What each fine-tuning of a search leaves, so that none is repeated."""

import dataclasses
import shutil

from absl import logging

from keras_bert import artifacts
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.fine_tuning.search import Trial
from keras_bert.tasks.fine_tuning.search import best_of

_TRIAL = "trial.json"
_MODEL = "model"

# The files that tell that a fine-tuning has ended.
FINISHED = f"run-*/{_TRIAL}"


def run_trials(learn, recipes, directory):
    """Fine-tunes by each recipe, but for what has ended already.

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
    for number, (recipe, folder) in enumerate(zip(recipes, folders), 1):
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
    """The new `Trial`; it is written when the model is, if it is the best."""
    task, trial = learn(recipe, folder)
    if best_of([*trials, trial]) == len(trials):
        task.save(folder / _MODEL)
    artifacts.write_json(folder / _TRIAL, dataclasses.asdict(trial))
    return trial


def remove_trials(directory, count):
    """Removes the models and what else is for `run_trials` only.

    The files that are left of a single run are moved to the directory.

    Args:
        directory: `pathlib.Path`, as of `run_trials`.
        count: int, how many recipes there were.
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
