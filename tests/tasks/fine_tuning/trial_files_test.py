"""Runs of a search with tasks that need no model."""

import pytest

from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.fine_tuning.recipe_grid import with_seeds
from keras_bert.tasks.fine_tuning.search import Trial
from keras_bert.tasks.fine_tuning.trial_files import FINISHED
from keras_bert.tasks.fine_tuning.trial_files import remove_trials
from keras_bert.tasks.fine_tuning.trial_files import run_trials


class _Task:
    def __init__(self, seed):
        self._seed = seed

    def save(self, directory):
        directory.mkdir()
        (directory / "task").write_text(f"{self._seed}")


def _run(directory, scores, killed_after=None):
    """Trials of these scores; the seeds of those that learned; the best."""
    learned = []

    def learn(recipe, folder):
        (folder / "curve").write_text("x")
        if len(learned) == killed_after:
            raise KeyboardInterrupt
        learned.append(recipe.seed)
        score = scores[recipe.seed]
        trial = Trial(recipe, "f1", {"f1": score, "loss": 0.1}, score == 0)
        return _Task(recipe.seed), trial

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


def test_only_the_best_keeps_its_model(tmp_path):
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
    places = [tmp_path / "killed", tmp_path / "whole"]
    for place in places:
        place.mkdir()
    assert _run(places[0], scores, killed_after)[0] is None
    ended = {path.parent for path in places[0].glob(FINISHED)}
    assert len(ended) == killed_after
    begun = {*places[0].glob("run-*")} - ended
    (curve,) = (path / "curve" for path in begun)
    curve.unlink()
    curve.parent.rmdir()  # As `Unfinished.begin` does.
    trials, learned, best = _run(places[0], scores)
    assert learned == [0, 1, 2][killed_after:]
    whole, _, whole_best = _run(places[1], scores)
    assert (trials, best) == (whole, whole_best)
    assert _files(places[0]) == _files(places[1])


def test_what_is_for_the_search_only_is_removed(tmp_path):
    for count, expected in (
        (1, {"curve"}),
        (2, {"run-1/curve", "run-2/curve"}),
    ):
        place = tmp_path / f"{count}"
        place.mkdir()
        _run(place, [0.5] * count)
        remove_trials(place, count)
        assert _files(place) == expected
