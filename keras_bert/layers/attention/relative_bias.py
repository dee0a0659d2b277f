"""Relative position bias for attention scores, as in MPNet and T5."""

import typing

import keras
import numpy as np
from keras import ops

from keras_bert import checks
from keras_bert.layers.arguments import Initializer
from keras_bert.layers.arguments import Shape
from keras_bert.layers.arguments import clone_initializer
from keras_bert.layers.arguments import get_initializer
from keras_bert.layers.layer import Layer
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class RelativeBias(Layer):
    """Relative position bias that all blocks add to their attention scores.

    The bias is a table lookup by the distance between query and key. Half of
    the rows of the table are for keys after the query. In each direction, half
    of the rows are for single distances and half for logarithmic ranges of
    distances.

    Args:
        num_heads: number of attention heads.
        num_buckets: number of rows of the table. Must be a multiple of 4.
        max_distance: maximum distance. Larger distances are clipped to it.
        embeddings_initializer: Keras initializer for the embedding table.

    Call arguments:
        inputs: int32 `(batch_size, seq_length)`. Only its length is used.

    Returns:
        float `(1, num_heads, seq_length, seq_length)`, with the query axis
        before the key axis.

    Example:

    >>> bias = keras_bert.layers.RelativeBias(num_heads=2)
    >>> bias(keras.ops.array([[2, 7, 9, 3]])).shape
    TensorShape([1, 2, 4, 4])

    References:
        [MPNet](https://arxiv.org/abs/2004.09297), section 3.1;
        [T5](https://arxiv.org/abs/1910.10683), section 2.1
    """

    def __init__(
        self,
        num_heads: int,
        num_buckets: int = 32,
        max_distance: int = 128,
        embeddings_initializer: Initializer = None,
        **kwargs: typing.Any,
    ):
        super().__init__(**kwargs)
        checks.at_least(
            1,
            num_heads=num_heads,
            num_buckets=num_buckets,
            max_distance=max_distance,
        )
        if num_buckets % 4 or num_buckets // 4 >= max_distance:
            raise ValueError(
                "`num_buckets` must be a multiple of 4, and `num_buckets` / "
                "4 less than `max_distance`. Received: "
                f"num_buckets={num_buckets}, max_distance={max_distance}."
            )
        self.num_heads = num_heads
        self.num_buckets = num_buckets
        self.max_distance = max_distance
        self.embeddings_initializer = get_initializer(embeddings_initializer)
        self._rows = _rows(num_buckets // 2, max_distance)

    def build(self, inputs_shape: Shape) -> None:
        self.relative_embeddings = self.add_weight(
            name="relative_embeddings",
            shape=(self.num_buckets, self.num_heads),
            initializer=clone_initializer(self.embeddings_initializer),
        )

    def call(self, inputs: Tensor) -> Tensor:
        indices, farthest = ops.arange(ops.shape(inputs)[1]), self.max_distance
        distances = ops.expand_dims(indices, 0) - ops.expand_dims(indices, 1)
        distances = farthest + ops.clip(distances, -farthest, farthest)
        rows = ops.take(self._rows, distances, axis=0)  # [S, S]
        biases = ops.take(self.relative_embeddings, rows, axis=0)  # [S, S, N]
        return ops.expand_dims(ops.transpose(biases, (2, 0, 1)), 0)

    def compute_output_shape(self, inputs_shape: Shape) -> Shape:
        return 1, self.num_heads, inputs_shape[1], inputs_shape[1]


def _rows(num_rows, max_distance):
    """Return the embedding index of each distance, key minus query position."""
    distances = np.arange(-max_distance, max_distance + 1)
    single = num_rows // 2
    far = np.maximum(np.abs(distances), single).astype("float32") / single
    steps = np.log(far) / np.float32(np.log(max_distance / single))
    ranges = single + (steps * (num_rows - single)).astype("int32")
    ranges = np.minimum(ranges, num_rows - 1)
    rows = np.where(np.abs(distances) < single, np.abs(distances), ranges)
    return (rows + num_rows * (distances > 0)).astype("int32")
