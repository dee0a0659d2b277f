"""Truncated and quantized embeddings, in Python, SavedModel and TFLite."""

import json

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import compress_vectors
from keras_bert.tasks import search

_TEXTS = ["the dog eats meat", "a cat", "the bird and the cat", "fish"]
_VECTORS = np.random.default_rng(0).normal(size=(40, 16))


def _unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_values_are_truncated_and_scaled_before_they_are_rounded():
    unit = _unit(_VECTORS[:, :10])
    found = compress_vectors(_VECTORS, 10)
    assert found.dtype == np.int8
    assert np.abs(found - 127 * unit).max() <= 0.5 + 1e-4
    found = compress_vectors(_VECTORS, 10, "float32")
    np.testing.assert_allclose(found, unit, atol=1e-6)
    extremes = compress_vectors(np.array([[5.0], [-1.0]]))
    assert extremes.ravel().tolist() == [127, -127]
    assert not compress_vectors(np.zeros((1, 4))).any()


@pytest.mark.parametrize("dimensions", [None, 8])
def test_bits_are_packed_as_by_numpy(dimensions):
    found = compress_vectors(_VECTORS, dimensions, "binary")
    expected = np.packbits(_VECTORS[:, :dimensions] > 0, axis=1)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, expected)


def test_search_scores_float_queries_with_compressed_documents():
    queries, corpus = _VECTORS[:3], _VECTORS[3:]
    for codes, vectors in (
        (compress_vectors(corpus), corpus),
        (compress_vectors(corpus, None, "binary"), np.sign(corpus)),
    ):
        indices, scores = search(queries, codes, 5)
        expected = _unit(queries) @ _unit(vectors).T
        expected = np.take_along_axis(expected, indices, axis=1)
        np.testing.assert_allclose(scores, expected, atol=0.02)
        _, dots = search(_unit(queries), codes, 5, similarity="dot")
        np.testing.assert_allclose(dots, scores, atol=0.02)
        exact, _ = search(queries, vectors, 5)
        assert (indices[:, 0] == exact[:, 0]).all()


@pytest.mark.parametrize(
    "precision", ["int8", pytest.param("binary", marks=pytest.mark.exhaustive)]
)
def test_exports_return_compressed_vectors(bert, tmp_path, precision):
    embedder = TextEmbedder(bert)
    expected = compress_vectors(embedder.embed(_TEXTS), 8, precision)
    how = {"dimensions": 8, "precision": precision}
    embedder.export_saved_model(tmp_path / "served", **how)
    loaded = tf.saved_model.load(str(tmp_path / "served/1"))
    served = loaded.signatures["serving_default"](text=tf.constant(_TEXTS))
    np.testing.assert_array_equal(served["embedding"], expected)
    manifest = (tmp_path / "served/1/export_manifest.json").read_text()
    manifest = json.loads(manifest)
    shape = [None, expected.shape[1]]
    outputs = {"embedding": {"dtype": expected.dtype.name, "shape": shape}}
    assert [*manifest["signatures"].values()][0]["outputs"] == outputs
    assert how.items() <= manifest["settings"].items()
    # The embedder itself is unchanged.
    assert "precision" not in embedder.settings


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["float32", "int8"])
@pytest.mark.parametrize("precision", ["int8", "binary"])
def test_tflite_files_return_compressed_vectors(
    bert, tmp_path, precision, kind
):
    found = TextEmbedder(bert).export_tflite(
        tmp_path / "model.tflite", kind, dimensions=8, precision=precision
    )
    assert all(x.num_labels == 0 and x.cosine >= 0.99 for x in found.values())
