"""AnglE loss for scored text pairs."""

import keras
from keras import ops

from keras_bert.losses.cosent import CoSENTLoss
from keras_bert.losses.similarity import unit
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class AnglELoss(CoSENTLoss):
    """CoSENT loss with the angle-based similarity of AnglE.

    Each vector is scaled to length 1 and split into two halves, the real
    and the imaginary part of a complex vector. The similarity is `|Re(z) +
    Im(z)|`, where `z` is the inner product of the two complex vectors. Unlike
    the cosine, it does not saturate. The paper adds this loss to
    `CosineSimilarityLoss` or `CoSENTLoss`.

    Args:
        scale: factor by which similarities are multiplied, the inverse of the
            temperature.
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        scores: float `(batch_size,)`, similarity labels of the pairs.
        embeddings: float `(batch_size, 2, dim)`.

    Returns:
        Scalar loss of the batch.

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
