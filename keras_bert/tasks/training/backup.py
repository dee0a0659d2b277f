"""Backups of `fit`, so that an interrupted call continues where it was."""

import collections.abc
import contextlib
import dataclasses
import hashlib
import typing

import keras
import numpy as np

from keras_bert.checkpoints.training_state import restore_state
from keras_bert.checkpoints.training_state import save_state
from keras_bert.files.resumable import resumable_directory
from keras_bert.tasks.training.batches import TrainingBatches
from keras_bert.tasks.training.recipe import Recipe
from keras_bert.typing import Path


@contextlib.contextmanager
def backup_of(
    model: keras.Model,
    stopping: keras.callbacks.EarlyStopping | None,
    batches: TrainingBatches,
    recipe: Recipe,
) -> "collections.abc.Iterator[Backup | None]":
    """Context manager for the backups of a call of `fit`.

    Their directory is deleted if the call succeeds.

    Args:
        model: compiled model.
        stopping: callback that selects the best epoch, or None.
        batches: training batches of all epochs.
        recipe: hyperparameters of the call.

    Yields:
        A `Backup`, or None if the recipe has no `backup_dir`.

    Raises:
        ValueError: the directory has backups of other data or hyperparameters.
    """
    if recipe.backup_dir is None:
        yield None
        return
    settings = dataclasses.asdict(recipe)
    directory = settings.pop("backup_dir")
    settings.pop("recompute")  # The results are the same.
    digest = hashlib.sha256()
    for number in range(batches.steps):
        batch = batches.examples.batch(batches[number])
        for values in keras.tree.flatten(batch):
            digest.update(np.ascontiguousarray(values))
    settings["examples"] = digest.hexdigest()
    with resumable_directory(directory, settings, "step-*.npz") as path:
        yield Backup(path, model, stopping, recipe.epochs)


class Backup(keras.callbacks.Callback):
    """Callback that saves the state before training and after each epoch.

    A state has all variables, the best weights and the logged values. It is
    loaded when the callback is created. The callback must be the last one.

    Args:
        directory: path of the states.
        model: compiled model.
        stopping: callback that selects the best epoch, or None.
        num_epochs: number of epochs of the whole run.

    Attributes:
        first_epoch: index of the first epoch to train; `num_epochs` if
            none is left.
    """

    def __init__(
        self,
        directory: Path,
        model: keras.Model,
        stopping: keras.callbacks.EarlyStopping | None,
        num_epochs: int,
    ):
        super().__init__()
        self._directory = directory
        self._stopping = stopping
        self._best = [_Array(x) for x in model.get_weights() if stopping]
        self._variables = [
            *model.variables,
            *model.optimizer.variables,
            *self._best,
        ]
        self._num_epochs = num_epochs
        start: dict[str, typing.Any]
        start = {"step": 0, "logs": {}, "stopping": None}
        self._state = restore_state(directory, self._variables) or start
        self.first_epoch: int = self._state["step"]

    def on_train_begin(self, logs: dict[str, typing.Any] | None = None) -> None:
        if self._state["stopping"]:
            vars(self._stopping).update(self._state["stopping"])
            self._stopping.best_weights = [x.values for x in self._best]
        if self.first_epoch == 0:
            self._save(0)

    def on_epoch_end(
        self, epoch: int, logs: dict[str, typing.Any] | None = None
    ) -> None:
        for name, value in logs.items():
            values = self._state["logs"].setdefault(name, [])
            values.append(float(value))
        self._save(self._num_epochs if self.model.stop_training else epoch + 1)

    def complete(self, history: keras.callbacks.History) -> None:
        """Add the epochs before an interruption to a history."""
        history.history = self._state["logs"]
        count = max(map(len, history.history.values()), default=0)
        history.epoch = [*range(count)]

    def _save(self, step: int) -> None:
        stopping = self._stopping
        if stopping is not None and stopping.best_weights is not None:
            names = "best", "best_epoch", "wait"
            progress = {name: float(getattr(stopping, name)) for name in names}
            self._state["stopping"] = progress
            for array, values in zip(
                self._best, stopping.best_weights, strict=True
            ):
                array.assign(values)
        save_state(self._directory, step, self._variables, self._state)


class _Array:
    """NumPy array with the methods of a variable."""

    def __init__(self, values: np.ndarray):
        self.values = values

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def assign(self, values: np.ndarray) -> None:
        self.values = values

    def __array__(
        self, dtype: typing.Any = None, copy: bool | None = None
    ) -> np.ndarray:
        return np.array(self.values, dtype)
