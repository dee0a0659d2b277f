"""An interrupted `fit` with `backup_dir` continues with the same results."""

import keras
import numpy as np
import pytest

from keras_bert import tasks
from tests import tiny

_TEXTS = ["the dog", "a cat", "the bird", "meat and fish", "seeds"] * 3
_LABELS = [0, 1, 0, 0, 1] * 3
_RECIPE = {"epochs": 4, "batch_size": 4, "verbose": 0, "learning_rate": 0.01}


class _Killed(Exception):
    pass


class _Kill(keras.callbacks.Callback):
    """Interrupts training after some of the 4 batches of an epoch."""

    def __init__(self, num_batches):
        super().__init__()
        self._left = num_batches

    def on_train_batch_end(self, batch, logs=None):
        self._left -= 1
        if not self._left:
            raise _Killed


def _classifier(seed=1):
    keras.utils.set_random_seed(seed)
    dropout = {"hidden_dropout_prob": 0.3, "attention_probs_dropout_prob": 0.3}
    bert = tiny.make_bert(**dropout)
    return tasks.TextClassifier(bert, labels=["x", "y"])


def _assert_same(task, history, expected, expected_history):
    assert history.history == expected_history.history
    assert history.epoch == expected_history.epoch
    weights = [x.model.get_weights() for x in (task, expected)]
    assert all(map(np.array_equal, *weights))


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
    kill = _Kill(4 * epoch + 3)
    with pytest.raises(_Killed):
        _classifier().fit(_TEXTS, _LABELS, callbacks=kill, **recipe)
    resumed = _classifier(seed=7)  # All weights come from the backup.
    history = resumed.fit(_TEXTS, _LABELS, **recipe)
    _assert_same(resumed, history, expected, expected_history)
    assert not (tmp_path / "backup").exists()


def test_an_early_stop_is_kept(tmp_path):
    recipe = {**_RECIPE, "epochs": 6, "learning_rate": 1e-9, "patience": 2}
    recipe["validation_data"] = _TEXTS[:5], _LABELS[:5]
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


def test_a_backup_of_another_run_is_refused(tmp_path):
    recipe = {**_RECIPE, "backup_dir": str(tmp_path / "backup")}
    with pytest.raises(_Killed):
        _classifier().fit(_TEXTS, _LABELS, callbacks=[_Kill(5)], **recipe)
    with pytest.raises(ValueError, match="examples was"):
        _classifier().fit(_TEXTS, [1, *_LABELS[1:]], **recipe)
    recipe["learning_rate"] = 0.1
    with pytest.raises(ValueError, match="learning_rate was 0.01, now 0.1"):
        _classifier().fit(_TEXTS, _LABELS, **recipe)


def test_the_callback_of_keras_is_refused(tmp_path):
    callback = keras.callbacks.BackupAndRestore(tmp_path / "keras")
    with pytest.raises(ValueError, match="Pass `backup_dir` to `fit`"):
        _classifier().fit(_TEXTS, _LABELS, callbacks=[callback], **_RECIPE)
