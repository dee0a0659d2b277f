import json

import keras
import numpy as np
import pytest

from keras_bert.cli.fine_tuning import fine_tuning_run
from keras_bert.cli.fine_tuning.classification_run import ClassificationRun
from keras_bert.cli.fine_tuning.fine_tuning_run import CurveCallback
from keras_bert.cli.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.cli.splits.splits import Splits
from keras_bert.tasks.readers.tables import Table
from tests.optimizers.curve_test import read_lines


class _Run(FineTuningRun):
    def make(self):
        return None

    def answer(self, task, split, data, directory):
        return {"scores": {"f1": 0.25}}, [{"place": n} for n in range(300)]


def test_only_the_worst_mistakes_are_written(tmp_path):
    splits = Splits(None, {}, {"test": "data"})
    assert _Run(splits, {}).perform([], tmp_path) == {"test": {"f1": 0.25}}
    values = json.loads((tmp_path / "eval.json").read_text())
    assert values == {"splits": {"test": {"scores": {"f1": 0.25}}}}
    lines = (tmp_path / "errors-test.jsonl").read_text().splitlines()
    assert [*map(json.loads, lines)] == [{"place": n} for n in range(200)]


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
    points = read_lines(tmp_path)
    found = [(point["step"], point["split"]) for point in points]
    first = [(3, "train"), (4, "train"), (4, "eval")]
    assert found == [*first, (6, "train"), (8, "train"), (8, "eval")]
    for epoch, (train, held_out) in enumerate(((1, 2), (4, 5))):
        assert points[train]["loss"] == history["loss"][epoch]
        assert points[held_out]["loss"] == history["val_loss"][epoch]
    assert list(tmp_path.glob("events.out.tfevents.*"))


@pytest.mark.parametrize("split", ["dev", "test"])
def test_a_label_that_is_no_number_is_named(split):
    def table(place, labels):
        columns = {"text": ["a", "b"], "label": labels}
        return Table(f"{place}, line", [2, 3], columns)

    train = table("train.tsv", ["1", "2"])
    tables = {"dev": {"dev": train}, "test": {}}
    tables[split] = {split: table("x.tsv", ["1", "two"])}
    with pytest.raises(ValueError, match="x.tsv, line 3, .*'two'"):
        ClassificationRun(Splits(train, **tables), {}, is_regression=True)
