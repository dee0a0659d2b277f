"""CoSENT loss of the angles of complex vectors."""

import keras
from keras import ops

from keras_bert.losses.cosent import CoSENTLoss
from keras_bert.losses.similarity import unit
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class AnglELoss(CoSENTLoss):
    """`CoSENTLoss` with an angle-based similarity, which does not saturate.

    The two halves of a vector are the real and the imaginary part of a complex
    vector. The similarity is the absolute value of the sum of real and
    imaginary part of the product of two such vectors of length 1. The authors
    add this loss to `CosineSimilarityLoss` or `CoSENTLoss`.

    Args:
        scale: factor of the similarities; the inverse of the temperature.
        **kwargs: arguments of `keras.losses.Loss`.

    Call arguments:
        scores: float `(batch_size,)`.
        embeddings: float `(batch_size, 2, dim)`.

    Returns:
        Scalar, the loss of the batch.

    References:
        [AnglE-optimized Text Embeddings](https://arxiv.org/abs/2309.12871),
        section 3.4
    """

    def similarities(self, embeddings: Tensor) -> Tensor:
        vectors = unit(embeddings)
        is_odd = vectors.shape[-1] % 2
        vectors = ops.pad(vectors, [[0, 0], [0, 0], [0, is_odd]])
        real, imaginary = ops.split(vectors, 2, axis=-1)
        terms = real[:, 0] * (real[:, 1] - imaginary[:, 1]) + imaginary[
            :, 0
        ] * (imaginary[:, 1] + real[:, 1])  # [B, D / 2]
        return ops.abs(ops.sum(terms, axis=-1))
