"""Pooling of token vectors to fewer vectors for each text."""

import typing

import numpy as np

from keras_bert import checks
from keras_bert.lazy import LazyPackage
from keras_bert.tasks.embeddings.compression import checked_block
from keras_bert.tasks.embeddings.compression import float_rows
from keras_bert.tasks.embeddings.multi_vectors import MultiVectors
from keras_bert.tasks.embeddings.multi_vectors import check_multi_vectors

if typing.TYPE_CHECKING:
    import scipy.cluster.hierarchy as hierarchy
else:
    hierarchy = LazyPackage("scipy.cluster.hierarchy", "pool_vectors")


def pool_vectors(
    vectors: MultiVectors, pool_factor: float = 2.0, num_protected: int = 1
) -> MultiVectors:
    """Cluster the vectors of each document and keep the mean of each cluster.

    The hierarchical clustering minimizes the variance in each cluster (Ward).
    All vectors are scaled to length 1. A document index then has about `1 /
    pool_factor` of the vectors.

    Args:
        vectors: result of `LateInteractionEmbedder.embed_document`, before
            `compress_vectors`.
        pool_factor: number of vectors for each cluster; 1 or less keeps all.
        num_protected: number of first vectors of each text to leave out of the
            clusters, such as that of [CLS].

    Returns:
        `MultiVectors` of the same texts.

    Raises:
        ValueError: an argument is out of range.
        ModuleNotFoundError: SciPy is not installed.

    References:
        [Reducing the Footprint of Multi-Vector Retrieval with Minimal
        Performance Impact via Token Pooling](https://arxiv.org/abs/2409.14683)
    """
    checks.positive(pool_factor=pool_factor)
    checks.at_least(0, num_protected=num_protected)
    check_multi_vectors(vectors=vectors)
    values = checked_block(
        float_rows(vectors.values, "vectors"), 0, "vectors", is_cosine=True
    )
    pooled = [values[:0]]
    for text in MultiVectors(values, vectors.lengths):
        others = text[num_protected:]
        count = max(int(len(others) // pool_factor), 1)
        if count < len(others):
            others = _cluster_means(others, count)
        pooled.append(np.concatenate([text[:num_protected], others]))
    values = np.concatenate(pooled)
    return MultiVectors(
        checked_block(values, 0, "vectors", is_cosine=True),
        [*map(len, pooled[1:])],
    )


def _cluster_means(vectors, count):
    """Return the means of at most `count` clusters of unit vectors."""
    distances = np.clip(1.0 - vectors @ vectors.T, 0.0, 2.0)
    distances = distances[np.triu_indices(len(vectors), 1)]
    tree = hierarchy.linkage(distances, method="ward")
    labels = hierarchy.fcluster(tree, count, criterion="maxclust")
    _, clusters, sizes = np.unique(
        labels, return_inverse=True, return_counts=True
    )
    means = np.zeros((len(sizes), vectors.shape[1]), np.float32)
    np.add.at(means, clusters, vectors)
    return means / sizes[:, None]
