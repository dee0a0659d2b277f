"""Mean squared error between the embeddings of teacher and student."""

import keras
import numpy as np
from keras import ops

from keras_bert.losses.embedding_loss import EmbeddingLoss
from keras_bert.typing import Tensor


@keras.saving.register_keras_serializable("keras_bert")
class MSELoss(EmbeddingLoss):
    """Mean squared error between the embeddings of student and teacher.

    All texts of an example, such as a text and its translation, have the same
    target vector.

    Args:
        **kwargs: arguments passed to `keras.losses.Loss`.

    Call arguments:
        vectors: float `(batch_size, dim)`, the teacher's embeddings.
        embeddings: float `(batch_size, num_texts, dim)`.

    Returns:
        Scalar loss, averaged over examples, texts and dimensions.

    References:
        [Making Monolingual Sentence Embeddings Multilingual using Knowledge
        Distillation](https://arxiv.org/abs/2004.09813)
    """

    examples = "texts, or tuples of texts, with one vector each"

    def accepts(
        self, num_texts: int, label_shape: tuple[int, ...] | None
    ) -> bool:
        return label_shape is not None and len(label_shape) == 1

    def check(
        self, num_texts: int, labels: np.ndarray | None, dim: int
    ) -> None:
        super().check(num_texts, labels, dim)
        if labels.shape[1] != dim:
            raise ValueError(
                "`labels` must be vectors of the size of the embeddings, "
                f"{dim}. Pass dense=[keras.layers.Dense({labels.shape[1]})] "
                "to the embedder to change the size. Received: vectors of "
                f"size {labels.shape[1]}."
            )

    def call(self, vectors: Tensor, embeddings: Tensor) -> Tensor:
        # `MatryoshkaLoss` passes truncated embeddings.
        vectors = vectors[:, None, : embeddings.shape[-1]]
        errors = ops.square(embeddings - vectors)
        return ops.mean(errors, axis=(1, 2))
