import keras
import numpy as np
import pytest

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
_RECIPE = {"epochs": 30, "learning_rate": 1e-2, "batch_size": 4, "verbose": 0}
_exhaustive = pytest.mark.exhaustive


def _cosine(first, second):
    norms = np.linalg.norm(first) * np.linalg.norm(second)
    return float(first @ second) / norms


def _cosines(embedder, pairs):
    vectors = (embedder.embed(list(texts)) for texts in zip(*pairs))
    return np.array([_cosine(*pair) for pair in zip(*vectors)])


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
    recipe = {**_RECIPE, "epochs": 60, "learning_rate": 3e-3}
    embedder.fit(_PAIRS, scores, **recipe)
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
    ("labels", "metric"),
    [
        (None, "mean_reciprocal_rank"),
        pytest.param([1.0, 0.0, 0.5, -0.5], "spearman", marks=_exhaustive),
    ],
)
def test_the_best_epoch_is_kept(bert, labels, metric):
    """Train with a learning rate that destroys the model."""
    embedder = TextEmbedder(bert)
    recipe = {**_RECIPE, "epochs": 5, "learning_rate": 0.03, "batch_size": 2}
    data = _PAIRS if labels is None else (_PAIRS, labels)
    history = embedder.fit(_PAIRS, validation_data=data, warmup=0.0, **recipe)
    best = max(history.history[f"val_{metric}"])
    found = embedder.evaluate(_PAIRS, labels)[metric]
    assert found == pytest.approx(best)


def _cross_entropy(anchor, right, wrong):
    """Return the cross entropy of one anchor, candidate by candidate."""
    logits = [20 * _cosine(anchor, other) for other in (right, *wrong)]
    return np.log(np.sum(np.exp(logits))) - logits[0]


@pytest.mark.parametrize(
    ("ids", "wrong"),
    [
        # For each anchor, the (example, text) indices of its negatives.
        # A repeated anchor, a repeated positive, an anchor as a positive.
        ([[0, 1], [0, 2], [3, 4]], [[(2, 1)], [(2, 1)], [(0, 1), (1, 1)]]),
        ([[0, 1], [2, 1], [3, 4]], [[(2, 1)], [(2, 1)], [(0, 1), (1, 1)]]),
        (
            [[0, 1], [2, 0], [3, 4]],
            [[(2, 1)], [(0, 1), (2, 1)], [(0, 1), (1, 1)]],
        ),
        # A negative that is the positive of the other example.
        (
            [[0, 1, 2], [3, 4, 1]],
            [[(1, 1), (0, 2)], [(0, 1), (0, 2), (1, 2)]],
        ),
        # There is nothing to learn from a single pair.
        ([[0, 1]], [[]]),
    ],
)
def test_repeated_texts_are_no_negatives(ids, wrong):
    ids = np.array(ids)
    random = np.random.default_rng(2)
    vectors = random.normal(size=(*ids.shape, 4)).astype("float32")
    expected = np.mean(
        [
            _cross_entropy(*vectors[i, :2], [vectors[x] for x in places])
            for i, places in enumerate(wrong)
        ]
    )
    loss = MultipleNegativesRankingLoss()(ids, vectors)
    np.testing.assert_allclose(loss, expected, rtol=1e-5, atol=1e-7)


@_exhaustive
@pytest.mark.parametrize(
    ("loss", "num_texts", "labels"),
    [
        (MultipleNegativesRankingLoss(symmetric=True), 5, None),
        (losses.CoSENTLoss(), 2, [5, 0, 2.5, 1]),
        (losses.MarginMSELoss(), 3, [5.0, 0.0, 2.5, -1.0]),
        (losses.DistillKLDivLoss(), 4, np.eye(4, 3)),
        (losses.MSELoss(), 1, np.eye(4, 16)),
        (losses.MatryoshkaLoss(losses.TripletLoss(), [16, 4]), 3, None),
    ],
)
def test_fit_minimizes_the_given_loss(bert, loss, num_texts, labels):
    texts = [("the dog", "a cat", "a fish", "meat", word) for word in "abcd"]
    texts = [row[-num_texts:] if num_texts > 1 else row[-1] for row in texts]
    recipe = {**_RECIPE, "epochs": 5, "learning_rate": 3e-3}
    embedder = TextEmbedder(bert)
    history = embedder.fit(texts, labels, loss=loss, **recipe).history["loss"]
    assert history[-1] < 0.98 * history[0]


@pytest.mark.parametrize("num_texts", [1, 2, 3])
def test_anchors_are_not_padded_to_the_other_texts(bert, num_texts):
    texts = ("the", "the dog eats", "the cat sees the cat")[:num_texts]
    embedder = TextEmbedder(bert)
    preprocess = embedder.preprocess
    examples = embedding_examples(preprocess, [texts], np.ones((1, 1)))
    mask = bert.backbone.inputs["input_mask"]
    width = keras.ops.sum(keras.ops.ones_like(mask), axis=1, keepdims=True)
    embedder.model = keras.Model(bert.backbone.inputs, {"embedding": width})
    learner = embedding_learner(embedder, examples, losses.MSELoss())
    found = learner.model(examples.inputs(np.array([0])))["embedding"]
    anchor, *others = examples.rows.lengths
    expected = [anchor, *[max(others, default=0)] * len(others)]
    assert np.array(found)[0, :, 0].tolist() == expected


def test_named_columns_are_trained(bert):
    rows = [
        {"id": index, "answer": answer, "query": query}
        for index, (query, answer) in enumerate(
            [("the dog", "meat"), ("a cat", "fish"), ("a bird", "seeds")]
        )
    ]
    pairs = [(row["query"], row["answer"]) for row in rows]
    found = []
    for texts, columns in ((rows, ("query", "answer")), (pairs, None)):
        embedder = TextEmbedder(bert)
        weights = bert.encoder.get_weights()
        history = embedder.fit(
            texts, validation_data=texts, columns=columns, **_RECIPE
        ).history
        bert.encoder.set_weights(weights)
        found.append([history["loss"], history["val_loss"]])
    np.testing.assert_allclose(*found, rtol=1e-5)


class _Guide:
    """Guide that finds all texts equal except those of one set."""

    def __init__(self, apart):
        self._apart = apart
        self.texts = []

    def embed(self, texts):
        self.texts += texts
        return np.array([[text in self._apart, 1.0] for text in texts])


def test_a_guide_embeds_each_text_once(bert):
    pairs = [("the dog", "meat"), ("a cat", "fish"), ("a bird", "meat")]
    guide = _Guide({"the dog", "meat"})
    loss = losses.GISTEmbedLoss(guide)
    history = (
        TextEmbedder(bert)
        .fit(pairs, loss=loss, validation_data=pairs[:2], **_RECIPE)
        .history
    )
    assert np.isfinite(history["loss"] + history["val_loss"]).all()
    assert sorted(guide.texts) == sorted(
        ["the dog", "meat", "a cat", "fish", "a bird"]
        + ["the dog", "meat", "a cat", "fish"]
    )


def test_a_guide_and_other_datasets_are_trained_together(bert):
    pairs = [("the dog", "meat"), ("a cat", "fish"), ("a bird", "seeds")]
    data = {"guided": pairs, "scored": (pairs, [0.1, 0.5, 0.9])}
    loss = {
        "guided": losses.GISTEmbedLoss(_Guide({"meat"})),
        "scored": losses.CoSENTLoss(),
    }
    history = TextEmbedder(bert).fit(data, loss=loss, **_RECIPE).history
    assert np.isfinite(history["loss"]).all()
