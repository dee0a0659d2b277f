"""Validation metrics and callbacks for `fit`."""

import collections.abc
import typing

import keras
from keras import ops

from keras_bert.messages import brief
from keras_bert.typing import Tensor


class Validation(keras.callbacks.Callback):
    """Callback that logs a task's metrics as `val_...` after each epoch.

    Callbacks after it can monitor them like Keras metrics.

    Args:
        evaluate: function that returns the metrics by name.
        names: names of the metrics.
        main_metric: metric that selects the best epoch.

    Raises:
        ValueError: `main_metric` is not one of the names.
    """

    def __init__(
        self,
        evaluate: collections.abc.Callable[[], dict[str, float]],
        names: collections.abc.Sequence[str],
        main_metric: str,
    ):
        super().__init__()
        if main_metric not in names:
            raise ValueError(
                f"`main_metric` must be one of {', '.join(names)}. "
                f"Received: main_metric={brief(main_metric)}."
            )
        self._evaluate = evaluate
        self.names = [f"val_{name}" for name in names]
        self.main_metric = f"val_{main_metric}"

    def on_epoch_end(
        self, epoch: int, logs: dict[str, typing.Any] | None = None
    ) -> None:
        metrics = self._evaluate()
        logs.update({f"val_{name}": x for name, x in metrics.items()})


@keras.saving.register_keras_serializable("keras_bert")
class LabelAccuracy(keras.metrics.Mean):
    """Fraction of examples with exactly the correct labels.

    Examples with weight 0 are ignored; all others have the same weight.

    Args:
        multi_label: whether an example may have several labels or none.
        name: name of the metric.
        **kwargs: arguments of `keras.metrics.Mean`.

    Call arguments:
        targets: float `(..., num_labels)`, 1 at the labels.
        logits: float `(..., num_labels)`.
        sample_weight: float `(...)`, or None.
    """

    def __init__(
        self,
        multi_label: bool = False,
        name: str = "accuracy",
        **kwargs: typing.Any,
    ):
        super().__init__(name=name, **kwargs)
        self.multi_label = multi_label

    def update_state(
        self,
        targets: Tensor,
        logits: Tensor,
        sample_weight: Tensor | None = None,
    ) -> None:
        if self.multi_label:
            is_right = ops.all((targets > 0.5) == (logits >= 0), axis=-1)
        else:
            is_right = ops.argmax(targets, -1) == ops.argmax(logits, -1)
        if sample_weight is not None:
            sample_weight = ops.cast(sample_weight > 0, self.dtype)
        super().update_state(ops.cast(is_right, self.dtype), sample_weight)

    def get_config(self) -> dict[str, typing.Any]:
        return {**super().get_config(), "multi_label": self.multi_label}


class TaskCallbackList(keras.callbacks.CallbackList):
    """Callback list that passes the task's model to the callbacks.

    The trained model and the task's model share weights and optimizer, so
    `ModelCheckpoint` saves the task's model.

    Args:
        callbacks: the callbacks.
        model: compiled model of the task.
    """

    def __init__(
        self, callbacks: list[keras.callbacks.Callback], model: keras.Model
    ):
        self._fitted: keras.callbacks.Callback | None = None
        model.stop_training = False
        super().__init__(callbacks, model=model)
        self._fitted = keras.callbacks.Callback()

    def set_model(self, model: keras.Model) -> None:
        owner = super() if self._fitted is None else self._fitted
        owner.set_model(model)

    def on_train_batch_end(
        self, batch: int, logs: dict[str, typing.Any] | None = None
    ) -> None:
        fitted = self._fitted.model  # With JAX, this updates the weights.
        super().on_train_batch_end(batch, logs)
        fitted.stop_training |= self.model.stop_training

    def on_epoch_end(
        self, epoch: int, logs: dict[str, typing.Any] | None = None
    ) -> None:
        fitted = self._fitted.model
        super().on_epoch_end(epoch, logs)
        fitted.stop_training |= self.model.stop_training


def check_callbacks(
    callbacks: list[keras.callbacks.Callback], names: list[str]
) -> None:
    """Check that Keras callbacks monitor values that are logged.

    A mode of "auto" is replaced, because Keras does not know whether a task's
    metrics should increase.

    Args:
        callbacks: the callbacks.
        names: names of all logged values.

    Raises:
        ValueError: a callback monitors a value that is not logged, and all
            callbacks are from Keras, so none of them can log it. Or one is a
            `BackupAndRestore`.
    """
    for callback in callbacks:
        if isinstance(callback, keras.callbacks.BackupAndRestore):
            raise ValueError(
                "`BackupAndRestore` does not save the position in the data. "
                "Pass `backup_dir` to `fit` instead. Received: "
                f"callbacks=[{type(callback).__name__}]."
            )
        name = getattr(callback, "monitor", None)
        is_used = getattr(callback, "save_best_only", True)
        if name is None or not is_used:
            continue
        if name not in names and all(map(_is_of_keras, callbacks)):
            raise ValueError(
                f"{type(callback).__name__} must monitor one of "
                f"{', '.join(names)}. Names that begin with val_ need "
                f"`validation_data`. Received: monitor={brief(name)}."
            )
        if callback.mode == "auto":
            is_error = name.endswith(("loss", "error"))
            callback.mode = "min" if is_error else "max"


def _is_of_keras(callback: keras.callbacks.Callback) -> bool:
    return type(callback).__module__.partition(".")[0] == "keras"
