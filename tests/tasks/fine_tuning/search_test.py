"""The search with a task that needs no model."""

import json

import numpy as np
import pytest

from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.fine_tuning.recipe_grid import with_seeds
from keras_bert.tasks.fine_tuning.search import Trial
from keras_bert.tasks.fine_tuning.search import best_of
from keras_bert.tasks.fine_tuning.search import summary
from keras_bert.tasks.fine_tuning.search import try_recipe


class _Task:
    main_metric = "f1"

    def __init__(self, scores):
        self.draw = float(np.random.random())
        self._scores = scores
        self.fitted = None

    def fit(self, texts, labels, validation_data, callbacks, **recipe):
        self.fitted = (texts, labels, validation_data, callbacks, recipe)

    def labelled(self, *columns):
        return columns

    def scores(self, examples):
        assert examples == (["d"], [1])
        return {"f1": self._scores, "loss": 1.0}

    def has_collapsed(self, examples):
        return self._scores == 0.0


def _try(recipe, score):
    return try_recipe(
        lambda: _Task(score),
        recipe,
        (["a", "b"], [0, 1]),
        (["d"], [1]),
        ["callback"],
    )


def test_a_task_gets_its_recipe_seed_and_callbacks():
    recipes = with_seeds(Recipe(epochs=2), 2)
    tasks, trials = zip(*(_try(recipe, 0.1) for recipe in recipes))
    for task, trial, expected in zip(tasks, trials, recipes, strict=True):
        texts, labels, dev, callbacks, recipe = task.fitted
        assert (texts, labels, dev) == (["a", "b"], [0, 1], (["d"], [1]))
        assert callbacks == ["callback"]
        assert Recipe(**recipe) == trial.recipe == expected
    again, _ = _try(recipes[1], 0.1)
    assert again.draw == tasks[1].draw != tasks[0].draw


def test_the_best_is_the_first_of_equals():
    trials = [_try(Recipe(), score)[1] for score in (0.0, 0.75, 0.5, 0.75)]
    assert best_of(trials) == 1
    assert [trial.score for trial in trials] == [0.0, 0.75, 0.5, 0.75]
    assert [trial.has_collapsed for trial in trials] == [True] + [False] * 3


def test_the_spread_is_over_the_seeds_of_a_recipe():
    trials = [
        Trial(
            Recipe(epochs=epochs, seed=seed), "f1", {"f1": value}, value == 0.0
        )
        for epochs, seed, value in (
            (2, 0, 0.5),
            (2, 1, 0.75),
            (2, 2, 0.25),
            (3, 0, 0.0),
        )
    ]
    values = summary(trials)
    assert values["best"] == 1
    assert [x["recipe"]["epochs"] for x in values["recipes"]] == [2, 3]
    spread = {**values["recipes"][0]}
    del spread["recipe"]
    # Squares of 0, 0.25 and -0.25, over 2.
    assert spread == {
        "mean": 0.5,
        "deviation": pytest.approx(0.25),
        "best": 0.75,
        "num_collapsed": 0,
    }
    assert values["recipes"][1]["deviation"] is None
    assert values["recipes"][1]["num_collapsed"] == 1
    assert values["runs"][3]["recipe"]["epochs"] == 3
    assert json.loads(json.dumps(values)) == values
