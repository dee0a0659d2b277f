"""Texts, or pairs of texts, to numbers."""

import keras
import numpy as np

from keras_bert.tasks.fine_tuning.collapse import examples_to_tell
from keras_bert.tasks.fine_tuning.collapse import spread_too_little
from keras_bert.tasks.fine_tuning.columns import numbers
from keras_bert.tasks.fine_tuning.text_task import TextTask
from keras_bert.tasks.scores import pearson
from keras_bert.tasks.scores import spearman
from keras_bert.tasks.task import TRUNCATED


class TextRegressor(TextTask):
    """Gives texts, or pairs of texts, a number, such as how alike they are.

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
        super().__init__(pretrained, 1, {}, *how)

    def _learned(self, labels, class_weights):
        if class_weights:
            raise ValueError(
                "`class_weights` are for labels; a regression has none. "
                f"Received: class_weights={class_weights!r}."
            )
        return numbers(labels)[:, np.newaxis], None

    def loss(self, label_smoothing):
        if label_smoothing:
            raise ValueError(
                "`label_smoothing` is for labels; a regression has none. "
                f"Received: label_smoothing={label_smoothing}."
            )
        return keras.losses.MeanSquaredError()

    def soft_loss(self, temperature):
        return self.loss(0.0)  # Numbers have no temperature.

    def metrics(self, encoded, logits):
        labels = encoded.targets[encoded.starts, 0].astype(float)
        predictions = logits[:, 0].astype(float)
        return {
            "pearson": pearson(labels, predictions),
            "spearman": spearman(labels, predictions),
            "mean_squared_error": float(np.mean((labels - predictions) ** 2)),
        }

    def collapse(self, encoded):
        some = examples_to_tell(len(encoded.counts))
        targets = encoded.targets[encoded.starts[some]]
        return spread_too_little(self.logits(encoded.part(some)), targets)

    def predict(self, texts):
        """Gives texts numbers.

        Args:
            texts: list of str, or of pairs of str; it may be empty.

        Returns:
            A list of float, one for each text. A warning in the log says
            how many texts are too long and are cut.
        """
        return self.answered(texts)

    def decode(self, encoded, logits):
        return logits[:, 0].tolist()

    def predict_ids(self, inputs):
        """Gives texts numbers, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.

        Returns:
            A dict of `score`, float32 `(batch_size,)`.
        """
        return {"score": self.model(inputs)["logits"][:, 0]}
