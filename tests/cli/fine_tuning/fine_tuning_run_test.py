"""A run with a task without a model."""

import json

import keras
import numpy as np

from keras_bert.cli.fine_tuning import fine_tuning_run
from keras_bert.cli.fine_tuning.fine_tuning_run import CurveCallback
from keras_bert.cli.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.cli.splits.splits import Splits
from keras_bert.tasks.fine_tuning.recipe import Recipe


class _Task:
    main_metric = "f1"
    threshold = None
    data = seed = None

    def fit(self, *data, validation_data, callbacks, teacher, **recipe):
        assert validation_data == ("dev data",)
        self.data = data
        self.seed = recipe["seed"]

    def _labelled(self, *columns):
        return columns

    @property
    def answer(self):
        return self

    def _logits(self, examples):
        assert examples == ("dev data",)
        return self.seed / 10

    def metrics(self, examples, logits):
        return {"f1": logits}

    def _collapse(self, examples):
        return False

    def save(self, directory):
        directory.mkdir()
        text = f"{self.data} {self.seed} {self.threshold}"
        (directory / "task").write_text(text)


class _Run(FineTuningRun):
    def make(self):
        return _Task()

    def read(self, directory):
        task = _Task()
        text = (directory / "task").read_text()
        task.data, task.seed, _ = text.rsplit(" ", 2)
        return task

    def finish(self, task):
        task.threshold = 0.5

    def labelled(self, data):
        return (data,)

    def answer(self, task, split, data, directory):
        (directory / f"answers-{split}").write_text(f"{task.threshold}")
        if data == "bare data":
            return None, []
        scores = {"scores": {"f1": 0.25}}
        return scores, [{"place": n} for n in range(300)]


_SPLITS = Splits("train data", {"dev": "dev data"}, {"test": "bare data"})


def test_the_best_model_its_reports_and_answers_are_written(tmp_path):
    recipes = [Recipe(seed=seed) for seed in (1, 3, 2)]
    scores = _Run(_SPLITS, {}).perform(recipes, tmp_path)
    assert scores == {"dev": {"f1": 0.25}}
    found = {
        str(path.relative_to(tmp_path))
        for path in tmp_path.rglob("*")
        if path.is_file() and "tfevents" not in path.name
    }
    curves = {f"run-{n}/metrics.jsonl" for n in (1, 2, 3)}
    assert found == curves | {
        *("model/task", "eval.json", "errors-dev.jsonl"),
        *("answers-dev", "answers-test"),
    }
    values = json.loads((tmp_path / "eval.json").read_text())
    assert values["splits"] == {"dev": {"scores": {"f1": 0.25}}}
    assert values["search"]["best"] == 1
    assert len((tmp_path / "errors-dev.jsonl").read_text().splitlines()) == 200
    saved = (tmp_path / "model" / "task").read_text()
    assert saved == "('train data',) 3 0.5"


def test_points_are_the_losses_and_metrics_of_keras(tmp_path, monkeypatch):
    monkeypatch.setattr(fine_tuning_run, "_STEPS_BETWEEN_LOSSES", 3)
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    inputs, targets = np.ones((8, 2)), np.zeros((8, 1))
    history = model.fit(
        inputs,
        targets,
        batch_size=2,
        epochs=2,
        validation_data=(inputs, targets),
        callbacks=[CurveCallback(str(tmp_path))],
        verbose=0,
    ).history
    lines = (tmp_path / "metrics.jsonl").read_text().splitlines()
    points = [json.loads(line) for line in lines]
    assert [(point["step"], point["split"]) for point in points] == [
        (3, "train"),
        (4, "train"),
        (4, "eval"),
        (6, "train"),
        (8, "train"),
        (8, "eval"),
    ]
    for epoch, (train, held_out) in enumerate(((1, 2), (4, 5))):
        assert points[train]["loss"] == history["loss"][epoch]
        assert points[held_out]["loss"] == history["val_loss"][epoch]
    assert list(tmp_path.glob("events.out.tfevents.*"))
