"""Texts as vectors of length 1."""

import numpy as np


def unit_vectors(model, texts):
    """Embeds texts.

    Args:
        model: `ShownModel`.
        texts: list of str.

    Returns:
        A float32 array `(num_texts, dim)`; a vector of zeros stays.
    """
    vectors = model.embedder.embed(texts)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)
