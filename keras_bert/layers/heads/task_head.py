"""Output layer that fine-tuning adds to an encoder."""

import typing

import keras
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import DROPOUT
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.dropout import Dropout
from keras_bert.layers.flat_dense import make_logits
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class TaskHead(Layer):
    """Fine-tuning head with dropout and a dense layer that returns logits.

    Args:
        num_outputs: number of logits, such as the number of labels.
        transform: layer applied to the vectors before the dropout, or None.
            Its name is part of its weight paths.
        dropout: dropout rate applied to the input vectors.
        kernel_initializer: Keras initializer for the kernel.

    Call arguments:
        vectors: float `(batch_size, ..., hidden_size)`.

    Returns:
        float32 logits `(batch_size, ..., num_outputs)`.

    Example:

    >>> keras_bert.layers.TaskHead(3)(keras.ops.ones((2, 8))).shape
    TensorShape([2, 3])

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.2
    """

    output_dtype = "float32"

    def __init__(
        self,
        num_outputs: int,
        transform: keras.layers.Layer | None = None,
        dropout: float = DROPOUT,
        kernel_initializer: Initializer = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(1, num_outputs=num_outputs)
        checks.share(dropout=dropout)
        self.num_outputs = num_outputs
        self.supports_masking = True  # Pass Keras masks on.
        self.transform = transform
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.vectors_dropout = Dropout(dropout, dtype=self.dtype_policy)
        self.logits = make_logits(self, num_outputs, "logits")

    def build(self, vectors_shape: Shape) -> None:
        if self.transform is not None:
            self.transform.build(vectors_shape)
            vectors_shape = self.transform.compute_output_shape(vectors_shape)
        self.vectors_dropout.build(vectors_shape)
        self.logits.build(vectors_shape)

    def call(self, vectors: Tensor, training: bool | None = None) -> Tensor:
        if self.transform is not None:
            vectors = self.transform(vectors)
        vectors = self.vectors_dropout(vectors, training=training)
        return self.logits(ops.cast(vectors, "float32"))

    def reorder_outputs(self, places: list[int]) -> None:
        """Reorder the outputs.

        Args:
            places: list of int, the current index of each new output.
        """
        self.logits.set_weights(
            [weight[..., places] for weight in self.logits.get_weights()]
        )

    def compute_output_shape(self, vectors_shape: Shape) -> Shape:
        return (*vectors_shape[:-1], self.num_outputs)
