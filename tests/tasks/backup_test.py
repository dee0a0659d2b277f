"""An interrupted `fit` with `backup_dir` continues with the same results."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import keras
import numpy as np
import pytest

from keras_bert import tasks
from tests import tiny

_ROOT = pathlib.Path(__file__).parents[2]
_TEXTS = ["the dog", "a cat", "the bird", "meat and fish", "seeds"] * 3
_LABELS = [0, 1, 0, 0, 1] * 3
_RECIPE = {"epochs": 4, "batch_size": 4, "verbose": 0, "learning_rate": 0.01}
_PROGRAM = """
import sys
from tests.tasks import backup_test
backup_test.main(*sys.argv[1:])
"""


class _Killed(Exception):
    pass


class _Kill(keras.callbacks.Callback):
    """Interrupts training at a batch of an epoch."""

    def __init__(self, epoch, batch):
        super().__init__()
        self._at, self._epoch = (epoch, batch), 0

    def on_epoch_begin(self, epoch, logs=None):
        self._epoch = epoch

    def on_train_batch_end(self, batch, logs=None):
        if (self._epoch, batch) == self._at:
            raise _Killed


def _classifier(seed=1):
    keras.utils.set_random_seed(seed)
    bert = tiny.make_bert(
        hidden_dropout_prob=0.3, attention_probs_dropout_prob=0.3
    )
    return tasks.TextClassifier(bert, labels=["x", "y"])


def _assert_same(task, history, expected, expected_history):
    assert history.history == expected_history.history
    assert history.epoch == expected_history.epoch
    pairs = zip(task.model.weights, expected.model.weights, strict=True)
    for weight, wanted in pairs:
        np.testing.assert_array_equal(weight.numpy(), wanted.numpy())


@pytest.mark.smoke("2-validated")
@pytest.mark.parametrize("extra", ["plain", "validated", "parts", "lora"])
@pytest.mark.parametrize("epoch", [0, 2, 3])
def test_an_interrupted_fit_continues_bit_for_bit(epoch, extra, tmp_path):
    recipe = dict(_RECIPE)
    if extra == "validated":
        recipe["validation_data"] = _TEXTS[:5], _LABELS[:5]
    elif extra != "plain":
        recipe[{"parts": "parallel_parts", "lora": "lora_rank"}[extra]] = 2
    expected = _classifier()
    expected_history = expected.fit(_TEXTS, _LABELS, **recipe)
    recipe["backup_dir"] = str(tmp_path / "backup")
    with pytest.raises(_Killed):
        _classifier().fit(
            _TEXTS, _LABELS, callbacks=[_Kill(epoch, 2)], **recipe
        )
    resumed = _classifier(seed=7)  # All weights come from the backup.
    history = resumed.fit(_TEXTS, _LABELS, **recipe)
    _assert_same(resumed, history, expected, expected_history)
    assert not (tmp_path / "backup").exists()


def test_an_early_stop_is_kept(tmp_path):
    recipe = {
        **_RECIPE,
        "epochs": 6,
        "learning_rate": 1e-9,
        "patience": 2,
        "validation_data": (_TEXTS[:5], _LABELS[:5]),
    }
    expected = _classifier()
    expected_history = expected.fit(_TEXTS, _LABELS, **recipe)
    assert len(expected_history.epoch) == 3

    class Kill(keras.callbacks.Callback):
        def on_train_end(self, logs=None):
            raise _Killed

    recipe["backup_dir"] = str(tmp_path / "backup")
    with pytest.raises(_Killed):
        _classifier().fit(_TEXTS, _LABELS, callbacks=[Kill()], **recipe)
    resumed = _classifier()
    history = resumed.fit(_TEXTS, _LABELS, **recipe)
    _assert_same(resumed, history, expected, expected_history)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"learning_rate": 0.1}, "learning_rate was 0.01, now 0.1"),
        ({"labels": [1, *_LABELS[1:]]}, "examples was"),
    ],
)
def test_a_backup_of_another_run_is_refused(changes, named, tmp_path):
    recipe = {**_RECIPE, "backup_dir": str(tmp_path / "backup")}
    data = {"texts": _TEXTS, "labels": _LABELS}
    with pytest.raises(_Killed):
        _classifier().fit(**data, callbacks=[_Kill(1, 0)], **recipe)
    with pytest.raises(ValueError, match=named):
        _classifier().fit(**{**data, **recipe, **changes})


def test_the_callback_of_keras_is_refused(tmp_path):
    callback = keras.callbacks.BackupAndRestore(tmp_path / "keras")
    with pytest.raises(ValueError, match="Pass `backup_dir` to `fit`"):
        _classifier().fit(_TEXTS, _LABELS, callbacks=[callback], **_RECIPE)


def test_a_killed_process_loses_nothing(tmp_path):
    def run(name, *arguments):
        return subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(tmp_path / name), *arguments],
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
        )

    assert run("expected.npz").wait() == 0
    backup = tmp_path / "backup"
    process = run("found.npz", str(backup))
    while not [*backup.glob("step-00000002.npz")]:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (tmp_path / "found.npz").exists()
    assert run("found.npz", str(backup)).wait() == 0
    expected = np.load(tmp_path / "expected.npz")
    found = np.load(tmp_path / "found.npz")
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])


def main(path, backup_dir=None):
    """Train, slowly, and write the weights."""
    classifier = _classifier()
    wait = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: time.sleep(0.05)
    )
    classifier.fit(
        _TEXTS, _LABELS, callbacks=[wait], backup_dir=backup_dir, **_RECIPE
    )
    np.savez(path, *[np.array(w.numpy()) for w in classifier.model.weights])
