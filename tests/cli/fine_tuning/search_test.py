"""The search with a task without a model."""

import json

import pytest

from keras_bert.cli.fine_tuning.search import FINISHED
from keras_bert.cli.fine_tuning.search import Trial
from keras_bert.cli.fine_tuning.search import remove_trials
from keras_bert.cli.fine_tuning.search import run_trials
from keras_bert.cli.fine_tuning.search import summary
from keras_bert.tasks.training.recipe import Recipe
from keras_bert.tasks.training.recipe import with_seeds


def test_the_spread_is_over_the_seeds_of_a_recipe():
    trials = [
        Trial(Recipe(epochs=n, seed=seed), "f1", {"f1": value}, value == 0.0)
        for n, seed, value in (
            (2, 0, 0.5),
            (2, 1, 0.75),
            (2, 2, 0.25),
            (3, 0, 0.0),
        )
    ]
    values = summary(trials)
    assert values["best"] == 1
    assert [x["recipe"]["epochs"] for x in values["recipes"]] == [2, 3]
    first, second = ({**x, "recipe": None} for x in values["recipes"])
    # Squares of 0, 0.25 and -0.25, divided by 2.
    assert first == {
        "recipe": None,
        "mean": 0.5,
        "deviation": pytest.approx(0.25),
        "best": 0.75,
        "num_collapsed": 0,
    }
    assert (second["deviation"], second["num_collapsed"]) == (None, 1)
    assert values["runs"][3]["recipe"]["epochs"] == 3
    assert json.loads(json.dumps(values)) == values


class _SavedTask:
    def __init__(self, seed):
        self._seed = seed

    def save(self, directory):
        directory.mkdir()
        (directory / "task").write_text(f"{self._seed}")


def _run(directory, scores, killed_after=None):
    """Run trials with these scores; return their seeds and the best trial."""
    learned = []

    def learn(recipe, folder):
        (folder / "curve").write_text("x")
        if len(learned) == killed_after:
            raise KeyboardInterrupt
        learned.append(recipe.seed)
        score = scores[recipe.seed]
        trial = Trial(recipe, "f1", {"f1": score, "loss": 0.1}, score == 0)
        return _SavedTask(recipe.seed), trial

    directory.mkdir(exist_ok=True)
    recipes = with_seeds(Recipe(patience=2), len(scores))
    try:
        trials, model = run_trials(learn, recipes, directory)
    except KeyboardInterrupt:
        return None, learned, None
    return trials, learned, (model / "task").read_text()


def _files(directory):
    return {
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_only_the_first_of_the_best_keeps_its_model(tmp_path):
    trials, learned, best = _run(tmp_path, [0.5, 0.25, 0.75, 0.75])
    assert learned == [0, 1, 2, 3]
    assert best == "2"
    assert [trial.score for trial in trials] == [0.5, 0.25, 0.75, 0.75]
    assert [path for path in _files(tmp_path) if "model" in path] == [
        "run-3/model/task"
    ]


@pytest.mark.parametrize("scores", [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
@pytest.mark.parametrize("killed_after", [1, 2])
def test_what_has_ended_is_not_repeated(tmp_path, scores, killed_after):
    killed = tmp_path / "killed"
    assert _run(killed, scores, killed_after)[0] is None
    ended = {path.parent for path in killed.glob(FINISHED)}
    assert len(ended) == killed_after
    (begun,) = {*killed.glob("run-*")} - ended
    (begun / "curve").unlink()
    begun.rmdir()  # Like `resumable_directory`.
    trials, learned, best = _run(killed, scores)
    assert learned == [0, 1, 2][killed_after:]
    whole, _, whole_best = _run(tmp_path / "whole", scores)
    assert (trials, best) == (whole, whole_best)
    assert _files(killed) == _files(tmp_path / "whole")


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, {"curve"}), (2, {"run-1/curve", "run-2/curve"})],
)
def test_what_is_for_the_search_only_is_removed(tmp_path, count, expected):
    _run(tmp_path, [0.5] * count)
    remove_trials(tmp_path, count)
    assert _files(tmp_path) == expected
