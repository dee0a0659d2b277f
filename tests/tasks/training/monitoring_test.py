"""Logs of `fit`, and Keras callbacks that monitor them."""

import keras
import numpy as np
import pytest

import keras_bert
from keras_bert.tasks.training.monitoring import LabelAccuracy
from keras_bert.tasks.training.monitoring import check_callbacks

pytestmark = pytest.mark.large

_callbacks = keras.callbacks
_TEXTS = ["a list", "a function of a list", "an error", "the value is a dict"]
_DATA = (_TEXTS, [*"abab"])


@pytest.fixture(scope="module")
def classifier():
    return keras_bert.TextClassifier.from_pretrained(
        keras_bert.TINY_MODEL, labels=["a", "b"], seq_length=16
    )


def test_callbacks_work_as_everyone_types_them(classifier, tmp_path):
    path = str(tmp_path / "best-{val_accuracy:.1f}.keras")
    best_f1 = _callbacks.EarlyStopping("val_f1", patience=9)
    rates = _callbacks.ReduceLROnPlateau(patience=1, min_delta=10.0)
    best = _callbacks.ModelCheckpoint(path, save_best_only=True)
    callbacks = [_callbacks.EarlyStopping(patience=9), best, rates, best_f1]
    recipe = {"learning_rate": 1e-3, "epochs": 4, "verbose": 0}
    recipe |= {"validation_data": _DATA, "callbacks": callbacks}
    history = classifier.fit(*_DATA, **recipe).history
    assert best_f1.best == max(history["val_f1"])
    # Each epoch after the first is on the plateau and reduces the rate.
    assert history["learning_rate"] == pytest.approx([1e-3, 1e-3, 1e-4, 1e-5])
    # One file per epoch whose loss is the lowest so far.
    file, *_ = tmp_path.glob("best-*.keras")
    loaded = keras.models.load_model(file)
    accuracy = loaded.get_compile_config()["weighted_metrics"]
    assert "LabelAccuracy" in str(accuracy)


_STOP, _PLATEAU = _callbacks.EarlyStopping, _callbacks.ReduceLROnPlateau
_BEST = _callbacks.ModelCheckpoint("x.keras", "f1", save_best_only=True)


@pytest.mark.parametrize(
    ("callback", "data", "message"),
    [
        (_STOP(), None, "EarlyStopping must .*`validation_data`.*val_l"),
        (_PLATEAU("val_acc"), _DATA, "loss, accuracy, val_loss, .*'val_acc'"),
        (_BEST, _DATA, "ModelCheckpoint must monitor .*monitor='f1'"),
    ],
)
def test_a_monitored_value_that_is_not_logged_is_refused(
    classifier, callback, data, message
):
    before = classifier.model.get_weights()
    with pytest.raises(ValueError, match=message):
        classifier.fit(*_DATA, validation_data=data, callbacks=[callback])
    for weight, value in zip(before, classifier.model.weights, strict=True):
        np.testing.assert_array_equal(weight, value)


def test_a_main_metric_that_there_is_not_is_refused(classifier, monkeypatch):
    monkeypatch.setattr(classifier, "main_metric", "recall")
    with pytest.raises(ValueError, match="one of loss, accuracy.*'recall'"):
        classifier.fit(*_DATA, validation_data=_DATA)


def test_values_of_own_callbacks_can_be_monitored():
    stop = _callbacks.EarlyStopping("mine", mode="max")

    class Own(keras.callbacks.Callback):
        pass

    check_callbacks([Own(), stop], ["loss"])
    check_callbacks([_callbacks.ModelCheckpoint("x.keras")], ["loss"])


@pytest.mark.parametrize(
    ("multi_label", "expected"), [(False, 2 / 3), (True, 1 / 3)]
)
def test_accuracy_counts_examples_of_any_weight_but_0(multi_label, expected):
    metric = LabelAccuracy(multi_label)
    targets = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 0.0]])
    logits = np.array([[2.0, -1.0], [1.0, 3.0], [-2.0, -1.0], [1.0, 2.0]])
    metric.update_state(targets, logits, np.array([5.0, 0.1, 2.0, 0.0]))
    assert float(metric.result()) == pytest.approx(expected)
    again = LabelAccuracy.from_config(metric.get_config())
    assert again.multi_label is multi_label
