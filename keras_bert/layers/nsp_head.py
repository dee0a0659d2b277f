"""Tells whether the second text followed the first."""

import keras

from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.arguments import save_arguments


@keras.saving.register_keras_serializable("keras_bert")
class NSPHead(keras.layers.Layer):
    """Scores "B is the next sentence" (0) against "B is random" (1).

    Args:
        kernel_initializer: Keras initializer of the matrix.

    Call arguments:
        pooled_output: float `(batch_size, hidden_size)`.

    Returns:
        float32 logits `(batch_size, 2)`.

    Example:

    >>> keras_bert.layers.NSPHead()(keras.ops.ones((3, 8))).shape
    TensorShape([3, 2])

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1, task 2
    """

    def __init__(self, kernel_initializer=None, **kwargs):
        super().__init__(**kwargs)
        self.kernel_initializer = get_initializer(kernel_initializer)
        self.classifier = keras.layers.Dense(
            2,
            kernel_initializer=clone_initializer(self.kernel_initializer),
            dtype="float32",
            name="classifier",
        )

    def build(self, pooled_output_shape):
        self.classifier.build(pooled_output_shape)

    def call(self, pooled_output):
        return self.classifier(pooled_output)

    def compute_output_shape(self, pooled_output_shape):
        return (*pooled_output_shape[:-1], 2)

    def compute_output_spec(self, pooled_output):
        shape = self.compute_output_shape(pooled_output.shape)
        return keras.KerasTensor(shape, dtype="float32")

    def get_config(self):
        own = save_arguments(self, "kernel_initializer")
        return {**super().get_config(), **own}
