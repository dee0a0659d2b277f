"""Base class of losses on the embeddings of texts."""

import typing

import keras
import numpy as np

from keras_bert import arguments


class EmbeddingLoss(keras.losses.Loss):
    """Base class of losses on the embeddings of the texts of each example.

    A subclass sets `examples` and defines `accepts` and `call`.

    Args:
        **kwargs: arguments of `keras.losses.Loss`.

    Call arguments:
        targets: the labels of the examples. For examples without labels, int
            `(batch_size, num_texts)`: equal texts have equal ids.
        embeddings: float `(batch_size, num_texts, dim)`: the anchor, then the
            positive, then the negatives.

    Attributes:
        examples: str, description of the accepted examples.
    """

    examples = ""

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        """Return True if the loss is defined for the examples.

        Args:
            num_texts: number of texts of an example.
            label_shape: shape of the label of an example; () for a number,
                None for examples without labels.
        """
        raise NotImplementedError

    def min_batch_size(self, num_texts: int) -> int:
        """Return the smallest batch size that has a gradient."""
        return 1

    def check(
        self, num_texts: int, labels: np.ndarray | None, dim: int
    ) -> None:
        """Raise ValueError if the loss does not fit the data or the model.

        Args:
            num_texts: number of texts of an example.
            labels: float array `(num_examples, ...)`, or None.
            dim: size of the embeddings.
        """
        shape = None if labels is None else labels.shape[1:]
        if self.accepts(num_texts, shape):
            return
        given = {None: "no labels", (): "one number each"}
        raise ValueError(
            f"{type(self).__name__} needs {self.examples}. Received: examples "
            f"of {num_texts} {'text' if num_texts == 1 else 'texts'} with "
            f"{given.get(shape) or f'{shape[0]} numbers each'}."
        )

    def get_config(self) -> dict[str, typing.Any]:
        serialize = keras.saving.serialize_keras_object
        return {
            name: serialize(getattr(self, name))
            for name in arguments.parameters(type(self))
        }
