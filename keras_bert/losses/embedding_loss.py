"""Base class for losses on text embeddings."""

import typing

import keras
import numpy as np

from keras_bert import arguments


class EmbeddingLoss(keras.losses.Loss):
    """Base class for losses on text embeddings.

    Subclasses must set `examples` and implement `accepts` and `call`.

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        targets: labels of the examples or, for unlabeled examples, text ids:
            int `(batch_size, num_texts)`, where equal texts have equal ids.
        embeddings: float `(batch_size, num_texts, dim)`: anchor, positive and
            negatives of each example.

    Attributes:
        examples: str, description of the accepted examples for error messages.
        takes_several_vectors: whether the loss supports texts with several
            vectors, float `(batch_size, num_texts, num_vectors, dim)`, padded
            with zeros, as `LateInteractionEmbedder` computes them.
        variables: variables that `callbacks` assign during training.
        guide: embedder whose vectors of all texts are the targets of examples
            without labels, instead of text ids; None for text ids.
    """

    examples = ""
    takes_several_vectors = False
    guide: typing.Any = None
    variables: tuple[keras.Variable, ...] = ()

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        """Return True if the loss supports examples of the given shape.

        Args:
            num_texts: number of texts per example.
            label_shape: shape of an example's label: () for a number, None if
                there are no labels.
        """
        raise NotImplementedError

    def min_batch_size(self, num_texts: int) -> int:
        """Return the smallest batch size with a nonzero gradient."""
        return 1

    def check(
        self, num_texts: int, labels: np.ndarray | None, dim: int
    ) -> None:
        """Raise ValueError if the loss does not support the data or the model.

        Args:
            num_texts: number of texts per example.
            labels: float array `(num_examples, ...)`, or None.
            dim: size of the model's embeddings.
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

    def callbacks(self) -> list[keras.callbacks.Callback]:
        """Return callbacks that change the loss during training."""
        return []

    def get_config(self) -> dict[str, typing.Any]:
        serialize = keras.saving.serialize_keras_object
        return {
            name: serialize(getattr(self, name))
            for name in arguments.parameters(type(self))
        }
