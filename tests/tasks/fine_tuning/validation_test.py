import keras
import numpy as np
import pytest

from keras_bert.tasks.fine_tuning.validation import Validation


def _fit(callbacks):
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    return model.fit(
        np.ones((4, 2)),
        np.zeros((4, 1)),
        epochs=3,
        callbacks=callbacks,
        verbose=0,
    ).history


def test_metrics_are_in_the_history_and_seen_by_later_callbacks():
    values = iter([0.1, 0.3, 0.2])
    stop = keras.callbacks.EarlyStopping("val_f1", patience=5, mode="max")
    history = _fit([Validation(lambda: {"f1": next(values)}, "f1"), stop])
    assert history["val_f1"] == [0.1, 0.3, 0.2]
    assert (stop.best, stop.best_epoch) == (0.3, 1)


def test_a_main_metric_that_there_is_not_is_named():
    with pytest.raises(ValueError, match="one of f1, f2. .*main_metric='f3'"):
        _fit([Validation(lambda: {"f1": 0.0, "f2": 0.0}, "f3")])
