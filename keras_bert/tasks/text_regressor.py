"""Regression for texts and text pairs."""

import typing

from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.columns import answers_one_or_many
from keras_bert.tasks.outputs.text_outputs import Numbers
from keras_bert.tasks.text_task import TextTask
from keras_bert.typing import Texts


class TextRegressor(TextTask):
    """Text regressor for single texts or text pairs.

    A published model with several outputs predicts a row of numbers for each
    text. Its labels are rows of numbers, and `evaluate` averages the scores
    of the outputs.

    Args:
        pretrained: encoder, or model fine-tuned for this task.
        seq_length: maximum length of a text or pair in tokens, special tokens
            included. Defaults to the trained length, or 128.
        truncation: part of long texts to keep: "head" (default), "tail" or
            "head_tail".
        windows: "mean" or "max" to split long single texts into windows and
            pool their logits. In training each window is an example, and
            `batch_size` counts windows.
        stride: maximum number of tokens between the starts of two windows. By
            default, windows overlap only as needed to have equal lengths.

    Example:

    >>> regressor = keras_bert.TextRegressor.from_pretrained("directory")
    >>> pairs = [("a film", "a movie"), ("a film", "the sea")]
    >>> history = regressor.fit(pairs, [4.5, 0.5], verbose=0)
    >>> len(regressor.predict(pairs))
    2

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.1
    """

    shared = ("is_pair",)

    def __init__(
        self,
        pretrained: PretrainedModel,
        seq_length: int | None = None,
        truncation: str | None = None,
        windows: str | None = None,
        stride: int | None = None,
    ):
        task = pretrained.task
        is_trained = task is not None and task.task == type(self).__name__
        super().__init__(
            pretrained,
            Numbers(task.head.num_outputs if is_trained else 1),
            {},
            seq_length,
            truncation=truncation,
            windows=windows,
            stride=stride,
        )

    @answers_one_or_many
    def predict(
        self, texts: Texts, show_progress_bar: bool = False
    ) -> list[typing.Any]:
        """Predict a number for each text.

        If texts are truncated, a warning reports their number.

        Args:
            texts: str, or list of str or of pairs of str. Lists may be empty.
                Also dicts, columns, arrays or tensors of these.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A list with a float for each text, or with a list of floats if the
            model has several outputs. For a single text, the result is not
            wrapped in a list.
        """
        return self._compute_predictions(texts, show_progress_bar)
