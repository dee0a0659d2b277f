import keras
import numpy as np
import pytest

from keras_bert.tasks import TextEmbedder

_PAIRS = [
    ("the dog eats", "meat"),
    ("the cat sees", "a fish"),
    ("a bird", "seeds"),
    ("the cat eats", "a bird ."),
]
_RECIPE = {
    "epochs": 30,
    "learning_rate": 1e-2,
    "batch_size": 4,
    "verbose": 0,
}


@pytest.fixture(autouse=True)
def seeded():
    keras.utils.set_random_seed(3)


def _cosines(embedder, pairs):
    first, second = (embedder.embed(list(texts)) for texts in zip(*pairs))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second /= np.linalg.norm(second, axis=1, keepdims=True)
    return (first * second).sum(axis=1)


def test_pairs_find_each_other_after_training(make_bert):
    embedder = TextEmbedder(make_bert(initializer_range=0.2))
    assert embedder.evaluate(_PAIRS)["recall_at_1"] < 1
    embedder.fit(_PAIRS, **_RECIPE)
    assert embedder.evaluate(_PAIRS)["recall_at_1"] == 1.0


def test_triplets_turn_anchors_to_the_positive(make_bert):
    embedder = TextEmbedder(make_bert(initializer_range=0.2))
    triplets = [(*pair, "the dog and the cat") for pair in _PAIRS]
    embedder.fit(triplets, **_RECIPE)
    negatives = [(anchor, negative) for anchor, _, negative in triplets]
    margins = _cosines(embedder, _PAIRS) - _cosines(embedder, negatives)
    assert margins.min() > 0
    assert embedder.evaluate(triplets)["mean_reciprocal_rank"] == 1.0


def test_scored_pairs_get_their_scores_as_cosines(bert):
    embedder = TextEmbedder(bert, normalize=True)
    scores = [1.0, 0.0, 0.5, -0.5]
    embedder.fit(
        _PAIRS, scores, **{**_RECIPE, "epochs": 60, "learning_rate": 3e-3}
    )
    np.testing.assert_allclose(_cosines(embedder, _PAIRS), scores, atol=0.15)
    assert embedder.evaluate(_PAIRS, scores)["spearman"] == pytest.approx(1)


def test_dense_layers_learn_with_a_frozen_encoder(bert):
    dense = keras.layers.Dense(5)
    embedder = TextEmbedder(bert, dense=[dense])
    before = dense.get_weights()[0], bert.encoder.get_weights()
    embedder.fit(_PAIRS, num_frozen_layers=-1, **{**_RECIPE, "epochs": 1})
    assert np.abs(dense.get_weights()[0] - before[0]).max() > 0
    for old, new in zip(before[1], bert.encoder.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize(
    ("validation_data", "metric"),
    [
        (_PAIRS, "mean_reciprocal_rank"),
        ((_PAIRS, [1.0, 0.0, 0.5, -0.5]), "spearman"),
    ],
)
def test_the_best_epoch_is_kept(bert, validation_data, metric):
    """A rate that destroys what was learned."""
    embedder = TextEmbedder(bert)
    history = embedder.fit(
        _PAIRS,
        validation_data=validation_data,
        epochs=5,
        learning_rate=0.03,
        warmup=0.0,
        batch_size=2,
        verbose=0,
    ).history
    data = validation_data
    data = data if isinstance(data, tuple) else (data,)
    best = max(history[f"val_{metric}"])
    assert embedder.evaluate(*data)[metric] == pytest.approx(best)


def test_the_loss_of_an_epoch_is_the_mean_of_its_batches(bert):
    """A rate of next to nothing; the loss is worked out from the vectors."""
    embedder = TextEmbedder(bert)
    history = embedder.fit(
        _PAIRS, epochs=1, batch_size=4, learning_rate=1e-12, verbose=0
    ).history
    first, second = (embedder.embed(list(texts)) for texts in zip(*_PAIRS))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second /= np.linalg.norm(second, axis=1, keepdims=True)
    logits = 20.0 * first @ second.T
    losses = np.log(np.exp(logits).sum(axis=1)) - np.diag(logits)
    np.testing.assert_allclose(history["loss"], losses.mean(), rtol=1e-4)


def test_what_does_not_go_with_embeddings_is_an_error(bert):
    with pytest.raises(ValueError, match="label_smoothing=0.1"):
        TextEmbedder(bert).fit(_PAIRS, label_smoothing=0.1)
    with pytest.raises(ValueError, match="`dense` must be.*Received: 3"):
        TextEmbedder(bert, dense=[3])
