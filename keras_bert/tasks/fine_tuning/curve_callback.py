"""The curve of a fine-tuning, for programs and for TensorBoard."""

import keras

from keras_bert.training.curve import Curve

_STEPS_BETWEEN = 25


class CurveCallback(keras.callbacks.Callback):
    """Writes the loss of steps and the metrics of epochs.

    The loss is the mean since the epoch began, as Keras shows it.

    Args:
        directory: str, existing; what it holds of an earlier curve is
            dropped.
    """

    def __init__(self, directory):
        super().__init__()
        self._curve = Curve(directory, -1)
        self._step = 0

    def on_train_batch_end(self, batch, logs=None):
        self._step += 1
        is_last = batch + 1 == self.params["steps"]
        if is_last or self._step % _STEPS_BETWEEN == 0:
            self._curve.add(self._step, "train", {"loss": float(logs["loss"])})

    def on_epoch_end(self, epoch, logs=None):
        metrics = {
            name.removeprefix("val_"): float(value)
            for name, value in logs.items()
            if name.startswith("val_")
        }
        if metrics:
            self._curve.add(self._step, "eval", metrics)
