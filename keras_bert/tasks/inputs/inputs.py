"""Base class for the inputs of fine-tuned tasks."""

import typing

import numpy as np

from keras_bert.tasks.training.batches import TargetFunction
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import Logits


class Inputs:
    """Base class for task inputs, which checks and tokenizes texts.

    Attributes:
        text_inputs, text_shapes: attributes of `Task`.
        preprocess: preprocessor of `Task`.
        extra_inputs: tensors returned by `preprocess` that the `Outputs` use,
            but not the model.
        is_per_token: whether the model computes logits for each token.
    """

    text_inputs: tuple[str, ...] = ("text",)
    text_shapes: dict[str, tuple] = {}
    preprocess: typing.Any
    extra_inputs: tuple[str, ...] = ()
    is_per_token: bool = False

    def read(self, texts: typing.Any) -> typing.Any:
        """Check texts for prediction and convert them for `encode`."""
        raise NotImplementedError

    def read_labelled(
        self, texts: typing.Any, labels: typing.Any
    ) -> tuple[typing.Any, typing.Any]:
        """Check examples and labels.

        Args:
            texts: examples in the format of `fit`.
            labels: labels in the format of `fit`, or `LABELS_INCLUDED`.

        Returns:
            The texts for `encode`, and the labels for `Outputs.targets`.
        """
        raise NotImplementedError

    def encode(
        self,
        texts: typing.Any,
        targets: typing.Any = None,
        weights: np.ndarray | None = None,
    ) -> Encoded:
        """Tokenize texts.

        Args:
            texts: result of `read` or `read_labelled`.
            targets, weights: results of `Outputs.targets`, or None.
        """
        raise NotImplementedError

    def join(
        self, encoded: Encoded, logits: np.ndarray | list[np.ndarray]
    ) -> Logits:
        """Combine row or token logits into the logits of predictions."""
        return logits

    def distillation_targets(
        self, encoded: Encoded, logits: Logits
    ) -> TargetFunction:
        """Convert a teacher's logits to targets for examples."""
        return encoded.answer_targets(logits)

    def as_words(self, texts: typing.Any) -> typing.Any:
        """Convert texts passed to `probabilities` to the format of `read`."""
        return texts

    def ensemble_texts(self, encoded: Encoded, texts: typing.Any) -> typing.Any:
        """Return the texts that the other models of an ensemble encode."""
        return texts
