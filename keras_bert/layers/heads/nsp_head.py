"""Next sentence prediction head of BERT."""

import typing

import keras

from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.flat_dense import make_logits
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class NSPHead(Layer):
    """Next-sentence prediction head of BERT.

    Args:
        kernel_initializer: Keras initializer for the kernel.

    Call arguments:
        pooled_output: float `(batch_size, hidden_size)`.

    Returns:
        float32 logits `(batch_size, 2)`. Class 0 means that B follows A, class
        1 that B is random.

    Example:

    >>> keras_bert.layers.NSPHead()(keras.ops.ones((3, 8))).shape
    TensorShape([3, 2])

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1, task 2
    """

    output_dtype = "float32"

    def __init__(
        self, kernel_initializer: Initializer = None, **kwargs: typing.Any
    ):
        super().__init__(**kwargs)
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.classifier = make_logits(self, 2, "classifier")

    def call(self, pooled_output: Tensor) -> Tensor:
        return self.classifier(pooled_output)

    def compute_output_shape(self, pooled_output_shape: Shape) -> Shape:
        return (*pooled_output_shape[:-1], 2)
