import hypothesis
import keras
import numpy as np
import pytest
from hypothesis import strategies

from keras_bert import losses
from keras_bert.losses import MultipleNegativesRankingLoss
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks.embeddings.examples import embedding_examples
from keras_bert.tasks.embeddings.training import embedding_learner

_PAIRS = [
    ("the dog eats", "meat"),
    ("the cat sees", "a fish"),
    ("a bird", "seeds"),
    ("the cat eats", "a bird ."),
]
_RANKING = MultipleNegativesRankingLoss()
_RECIPE = {
    "epochs": 30,
    "learning_rate": 1e-2,
    "batch_size": 4,
    "verbose": 0,
}


def _cosines(embedder, pairs):
    first, second = (embedder.embed(list(texts)) for texts in zip(*pairs))
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second /= np.linalg.norm(second, axis=1, keepdims=True)
    return (first * second).sum(axis=1)


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
    """Train with a learning rate that destroys the model."""
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


def test_what_does_not_go_with_embeddings_is_an_error(bert):
    with pytest.raises(ValueError, match="label_smoothing=0.1"):
        TextEmbedder(bert).fit(_PAIRS, label_smoothing=0.1)
    with pytest.raises(ValueError, match="`dense` must be.*Received: 3"):
        TextEmbedder(bert, dense=[3])


def _vectors(seed, *shape):
    return np.random.default_rng(seed).normal(size=shape).astype("float32")


def _cosine(first, second):
    norms = np.linalg.norm(first) * np.linalg.norm(second)
    return float(first @ second) / norms


def _cross_entropy(anchor, right, wrong, scale=20.0):
    """Return the cross entropy of one anchor, candidate by candidate."""
    logits = [scale * _cosine(anchor, other) for other in (right, *wrong)]
    return np.log(np.sum(np.exp(logits))) - logits[0]


@pytest.mark.parametrize(
    ("ids", "wrong", "scale"),
    [
        # For each anchor, the (example, text) indices of its negatives.
        (
            [[0, 1], [2, 3], [4, 5]],
            [[(1, 1), (2, 1)], [(0, 1), (2, 1)], [(0, 1), (1, 1)]],
            20.0,
        ),
        (
            [[0, 1, 2], [3, 4, 5]],
            [[(1, 1), (0, 2), (1, 2)], [(0, 1), (0, 2), (1, 2)]],
            5.0,
        ),
        # A repeated anchor, a repeated positive, an anchor as a positive.
        ([[0, 1], [0, 2], [3, 4]], [[(2, 1)], [(2, 1)], [(0, 1), (1, 1)]], 20),
        ([[0, 1], [2, 1], [3, 4]], [[(2, 1)], [(2, 1)], [(0, 1), (1, 1)]], 20),
        (
            [[0, 1], [2, 0], [3, 4]],
            [[(2, 1)], [(0, 1), (2, 1)], [(0, 1), (1, 1)]],
            20.0,
        ),
        # A negative that is the positive of the other example.
        (
            [[0, 1, 2], [3, 4, 1]],
            [[(1, 1), (0, 2)], [(0, 1), (0, 2), (1, 2)]],
            20.0,
        ),
    ],
)
def test_an_anchor_is_told_from_what_is_wrong_only(ids, wrong, scale):
    ids = np.array(ids)
    vectors = _vectors(2, *ids.shape, 4)
    expected = np.mean(
        [
            _cross_entropy(*vectors[i, :2], [vectors[x] for x in places], scale)
            for i, places in enumerate(wrong)
        ]
    )
    loss = MultipleNegativesRankingLoss(scale=scale)(ids, vectors)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)


@hypothesis.settings(max_examples=20, deadline=None)
@hypothesis.given(
    strategies.integers(0, 1000),
    strategies.permutations(range(4)),
    strategies.floats(0.1, 10),
)
def test_neither_order_nor_length_of_vectors_matters(seed, order, factor):
    vectors = _vectors(seed, 4, 3, 5)
    ids = np.random.default_rng(seed).integers(0, 6, (4, 3))
    loss = MultipleNegativesRankingLoss()(ids, vectors)
    other = MultipleNegativesRankingLoss()(
        ids[list(order)], factor * vectors[list(order)]
    )
    np.testing.assert_allclose(loss, other, rtol=1e-4, atol=1e-5)


def test_one_pair_alone_has_nothing_to_learn():
    assert (
        float(
            MultipleNegativesRankingLoss()(
                np.array([[0, 1]]), _vectors(4, 1, 2, 3)
            )
        )
        == 0
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("loss", "num_texts", "labels"),
    [
        pytest.param(
            losses.MultipleNegativesRankingLoss(symmetric=True),
            5,
            None,
            id="5 texts",
        ),
        pytest.param(losses.CoSENTLoss(), 2, [5, 0, 2.5, 1], id="scored pairs"),
        pytest.param(
            losses.MarginMSELoss(), 3, [5.0, 0.0, 2.5, -1.0], id="margins"
        ),
        pytest.param(
            losses.DistillKLDivLoss(), 4, np.eye(4, 3), id="4 texts with scores"
        ),
        pytest.param(losses.MSELoss(), 1, np.eye(4, 16), id="vectors"),
        pytest.param(
            losses.MatryoshkaLoss(losses.TripletLoss(), [16, 4]),
            3,
            None,
            id="triplets",
        ),
    ],
)
def test_fit_minimizes_the_given_loss(bert, loss, num_texts, labels):
    texts = [("the dog", "a cat", "a fish", "meat", word) for word in "abcd"]
    texts = [row[-num_texts:] if num_texts > 1 else row[-1] for row in texts]
    recipe = {**_RECIPE, "epochs": 5, "learning_rate": 3e-3}
    history = (
        TextEmbedder(bert)
        .fit(texts, labels, loss=loss, **recipe)
        .history["loss"]
    )
    assert history[-1] < 0.98 * history[0]


@pytest.mark.parametrize(
    ("texts", "labels", "options", "message"),
    [
        (_PAIRS, None, {"loss": losses.CoSENTLoss()}, "CoSENTLoss.*no labels"),
        (_PAIRS, None, {"loss": "mse"}, "keras_bert.losses.*'mse'"),
        (_PAIRS, [1, 0, 5.0, 2], {}, "from -1 to 1.*5.0 at index 2"),
        (_PAIRS, [[1, 0]] * 4, {}, r"Pass a loss.*shape \(2,\)"),
        (_PAIRS, None, {"batch_size": 1}, "least 2.*batch_size=1, 4 ex"),
        (_PAIRS, None, {"validation_data": ("a", [1], 3)}, "tuple of 3"),
        (_PAIRS, None, {"validation_data": (["a"], [[1, 0]])}, "single texts"),
        (_PAIRS[:1], None, {}, "least 2.*batch_size=32, 1 ex"),
        ([("a", "x"), ("b", "x")], None, {}, "2 examples with one positive"),
        ([("a", "x"), ("a", "y")], None, {}, "2 examples with one anchor"),
        (_PAIRS, [1] * 4, {"loss": losses.CoSENTLoss()}, "4 .* one label"),
        (_PAIRS, [[1, 0]] * 4, {"loss": losses.MSELoss()}, "16.*size 2"),
        (
            _PAIRS,
            None,
            {"loss": losses.MatryoshkaLoss(_RANKING, [8, 17])},
            r"most .*16.*dims=\[8, 17\]",
        ),
    ],
)
def test_examples_that_the_loss_cannot_use_are_errors(
    bert, texts, labels, options, message
):
    with pytest.raises(ValueError, match=message):
        TextEmbedder(bert).fit(texts, labels, **options)


@pytest.mark.parametrize("num_texts", [1, 2, 3])
def test_anchors_are_not_padded_to_the_other_texts(bert, num_texts):
    texts = ("the", "the dog eats", "the cat sees the cat")[:num_texts]
    preprocess = TextEmbedder(bert).preprocess
    examples = embedding_examples(preprocess, [texts], np.ones((1, 1)))
    mask = bert.backbone.inputs["input_mask"]
    width = keras.ops.sum(keras.ops.ones_like(mask), axis=1, keepdims=True)
    model = keras.Model(bert.backbone.inputs, {"embedding": width})
    learner = embedding_learner(bert, model, examples, losses.MSELoss())
    found = learner.model(examples.inputs(np.array([0])))["embedding"]
    anchor, *others = examples.rows.lengths
    expected = [anchor, *[max(others, default=0)] * len(others)]
    assert np.array(found)[0, :, 0].tolist() == expected
