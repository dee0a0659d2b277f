"""Metrics on validation data while a model learns."""

import keras


class Validation(keras.callbacks.Callback):
    """Adds a task's own metrics to what an epoch logs, as `val_...`.

    Other callbacks, which come after it, see them like metrics of Keras.

    Args:
        evaluate: function without arguments that gives a dict of floats.
        main_metric: str, the one of them that tells the best epoch.

    Raises:
        ValueError: it is none of them.
    """

    def __init__(self, evaluate, main_metric):
        super().__init__()
        self._evaluate = evaluate
        self._main_metric = main_metric

    def on_epoch_end(self, epoch, logs=None):
        metrics = self._evaluate()
        if self._main_metric not in metrics:
            raise ValueError(
                f"`main_metric` must be one of {', '.join(metrics)}. "
                f"Received: main_metric={self._main_metric!r}."
            )
        logs.update({f"val_{name}": x for name, x in metrics.items()})
