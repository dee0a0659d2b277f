import json

import keras
import numpy as np

from keras_bert.tasks.fine_tuning import curve_callback
from keras_bert.tasks.fine_tuning.curve_callback import CurveCallback


def test_points_are_the_losses_and_metrics_of_keras(tmp_path, monkeypatch):
    monkeypatch.setattr(curve_callback, "_STEPS_BETWEEN", 3)
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
