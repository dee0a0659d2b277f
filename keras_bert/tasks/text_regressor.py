"""Texts, or pairs of texts, to numbers."""

import keras
import numpy as np

from keras_bert.tasks.fine_tuning.collapse import probe_indices
from keras_bert.tasks.fine_tuning.collapse import spread_too_little
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.labels import numbers
from keras_bert.tasks.fine_tuning.text_task import TextTask
from keras_bert.tasks.scores import pearson
from keras_bert.tasks.scores import spearman
from keras_bert.tasks.task import TRUNCATED


class TextRegressor(TextTask):
    """Gives texts, or pairs of texts, a number, such as how alike they are.

    A published model with several outputs gives as many numbers, which are
    learned from rows of numbers; the scores of `evaluate` are their means.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        seq_length: int, longest text or pair in tokens, special tokens
            included; by default as trained, or else 128, or the model's limit
            if that is less.
        truncation: str, which part of longer texts is kept: "head", their
            beginning, which is the default, "tail" or "head_tail".
        windows: str, "mean" or "max": longer single texts are not cut but
            read in windows, and the logits of the windows are pooled.
        stride: int, most tokens from the start of a window to the start of
            the next; by default windows overlap only so far that none is
            short.

    Example:

    >>> regressor = keras_bert.TextRegressor.from_pretrained("directory")
    >>> pairs = [("a film", "a movie"), ("a film", "the sea")]
    >>> history = regressor.fit(pairs, [4.5, 0.5], verbose=0)
    >>> len(regressor.predict(pairs))
    2

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.1
    """

    head = "classifier"
    main_metric = "spearman"
    outputs = ("score", TRUNCATED)

    def __init__(
        self,
        pretrained,
        seq_length=None,
        truncation=None,
        windows=None,
        stride=None,
    ):
        how = seq_length, truncation, windows, stride
        task = pretrained.task
        is_trained = task is not None and task.task == type(self).__name__
        num_outputs = task.head.num_outputs if is_trained else 1
        super().__init__(pretrained, num_outputs, {}, *how)

    def _learned(self, labels, class_weights):
        if class_weights:
            raise ValueError(
                "`class_weights` are for labels; a regression has none. "
                f"Received: class_weights={class_weights!r}."
            )
        return numbers(labels, self.num_outputs), None

    def loss(self, label_smoothing):
        if label_smoothing:
            raise ValueError(
                "`label_smoothing` is for labels; a regression has none. "
                f"Received: label_smoothing={label_smoothing}."
            )
        return keras.losses.MeanSquaredError()

    def soft_loss(self, temperature):
        return self.loss(0.0)  # Numbers have no temperature.

    def metric_names(self, encoded):
        return ["pearson", "spearman", "mean_squared_error"]

    def metrics(self, encoded, logits):
        labels = encoded.targets[encoded.starts].astype(float)
        pairs = [*zip(labels.T, logits.T.astype(float), strict=True)]
        return {
            "pearson": float(np.mean([pearson(*pair) for pair in pairs])),
            "spearman": float(np.mean([spearman(*pair) for pair in pairs])),
            "mean_squared_error": float(np.mean((labels - logits) ** 2)),
        }

    def collapse(self, encoded):
        some = probe_indices(len(encoded.counts))
        targets = encoded.targets[encoded.starts[some]]
        return spread_too_little(self.logits(encoded.part(some)), targets)

    @one_or_many
    def predict(self, texts, show_progress_bar=False):
        """Return a number for each text.

        Args:
            texts: str, or list of str or of pairs of str, perhaps empty; or
                dicts, columns, arrays or tensors of these.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A list of float, one for each text; of a single text its float.
            A model with several outputs gives a list of float for each text.
            A warning in the log says how many texts are too long and are cut.
        """
        return self.answered(texts, show_progress_bar)

    def decode(self, encoded, logits):
        return self._without_one(logits).tolist()

    def predict_ids(self, inputs):
        """Gives texts numbers, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.

        Returns:
            A dict of `score`, float32 `(batch_size,)`, or `(batch_size,
            num_outputs)` of several outputs.
        """
        return {"score": self._without_one(self.model(inputs)["logits"])}

    def _without_one(self, logits):
        return logits[:, 0] if self.num_outputs == 1 else logits
