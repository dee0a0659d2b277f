"""Poolings: compared with hand-computed vectors, and exported."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.export import export_onnx
from keras_bert.tasks import TextEmbedder

_TEXTS = ["the dog eats meat", "a cat", "the bird and the cat eats seeds."]
_LONG = "the bird and the cat eats seeds. the dog"


def _weighted_mean(states, start):
    weights = np.arange(start + 1, start + 1 + len(states))
    return weights @ states / weights.sum()


_POOLS = {
    "lasttoken": lambda states, start: states[-1],
    "cls": lambda states, start: states[0],
    "mean": lambda states, start: states.mean(0),
    "max": lambda states, start: states.max(0),
    "weightedmean": _weighted_mean,
    "mean_sqrt_len_tokens": lambda states, start: (
        states.sum(0) / np.sqrt(len(states))
    ),
}


@pytest.fixture
def pooled(bert):
    return TextEmbedder(bert, pooling=[*_POOLS], normalize=True)


@pytest.mark.parametrize("include_prompt", [True, False])
def test_poolings_equal_their_definitions(bert, expected, include_prompt):
    """Exclude [CLS] with the prompt, but count their positions."""
    embedder = TextEmbedder(
        bert,
        pooling=[*_POOLS],
        prompts={"x": "the cat ", "y": "a dog sees "},
        default_prompt_name="x",
        include_prompt=include_prompt,
    )
    for prompt, words, count in (
        ("x", "the cat ", 3),
        ("y", "a dog sees ", 4),
        ("", "", 0),
    ):
        start = 0 if include_prompt else count
        vectors = expected(
            [words + text for text in _TEXTS],
            lambda states: np.concatenate(
                [pool(states, start) for pool in _POOLS.values()]
            ),
            left_out=start,
        )
        found = embedder.embed(_TEXTS, prompt=prompt)
        np.testing.assert_allclose(found, vectors, atol=1e-5)
    served = embedder.predict_texts(tf.constant(_TEXTS))["embedding"]
    np.testing.assert_allclose(served, embedder.embed(_TEXTS), atol=1e-5)


def test_padding_on_the_left_changes_no_vector(bert):
    positions = bert.weights["embeddings/position_embeddings"]
    positions.assign(np.zeros(positions.shape))
    model = TextEmbedder(bert, pooling=[*_POOLS]).model
    ids = np.array([[2, 7, 9, 8, 3]])
    vectors = []
    for padding in (0, 0), (2, 0), (0, 3):
        widths = [(0, 0), padding]
        inputs = {
            "input_ids": np.pad(ids, widths),
            "input_mask": np.pad(np.ones_like(ids), widths),
            "segment_ids": np.pad(np.zeros_like(ids), widths),
        }
        vectors.append(np.asarray(model(inputs)["embedding"]))
    np.testing.assert_allclose(vectors[1], vectors[0], atol=1e-5)
    np.testing.assert_allclose(vectors[2], vectors[0], atol=1e-5)


def test_values_are_dropped_after_the_normalization(bert, expected):
    embedder = TextEmbedder(bert, normalize=True, truncate_dim=5)
    vectors = expected(_TEXTS)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert embedder.dim == 5
    np.testing.assert_allclose(
        embedder.embed(_TEXTS), vectors[:, :5], atol=1e-5
    )
    static = embedder.distill_static(dim=4)
    assert static.embed(_TEXTS).shape == (3, 4)


def test_tflite_pools_at_any_length(pooled, tmp_path):
    compared = pooled.export_tflite(
        tmp_path / "x.tflite",
        kind="float32",
        texts=["", "a", "the dog", *_TEXTS, _LONG],
        files=["ids"],
    )
    assert all(x.greatest_difference < 1e-5 for x in compared.values())


def test_onnx_pools_at_any_length(pooled, tmp_path):
    import onnxruntime as ort

    export_onnx(pooled, tmp_path / "onnx")
    session = ort.InferenceSession(tmp_path / "onnx/model.onnx")
    model = tf.function(pooled.model, reduce_retracing=True)
    names = "input_ids", "attention_mask", "token_type_ids"
    for length in (2, 1, 5, 12):
        ids = np.arange(2, 2 + length)[None]
        own = {"input_ids": ids, "input_mask": np.ones_like(ids)}
        own["segment_ids"] = np.zeros_like(ids)
        inputs = dict(zip(names, own.values()))
        (found,) = session.run(["sentence_embedding"], inputs)
        np.testing.assert_allclose(found, model(own)["embedding"], atol=1e-5)


def test_similarity_dot_evaluates_dot_products(bert):
    pairs = [("a cat", "the cat"), ("a dog", "seeds"), ("meat", "the bird")]
    scores = [0.3, 0.9, 0.1]
    embedder = TextEmbedder(bert, similarity="dot")
    first, second = (embedder.embed(list(x)) for x in zip(*pairs))
    dots = (first * second).sum(axis=1)
    expected = np.corrcoef(dots, scores)[0, 1]
    assert embedder.evaluate(pairs, scores)["pearson"] == pytest.approx(
        expected, abs=1e-5
    )
    cosine = TextEmbedder(bert).evaluate(pairs, scores)["pearson"]
    assert abs(cosine - expected) > 1e-3


@pytest.mark.exhaustive
def test_training_with_all_poolings_lowers_the_loss(pooled):
    keras.utils.set_random_seed(1)
    pairs = [("a cat", "the cat"), ("a dog", "the dog"), ("meat", "seeds")]
    losses = pooled.fit(pairs, epochs=5, learning_rate=1e-2, verbose=0).history
    assert losses["loss"][-1] < losses["loss"][0]
