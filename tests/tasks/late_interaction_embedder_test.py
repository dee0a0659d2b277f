"""`LateInteractionEmbedder` equals PyLate and its own definition."""

import json
import pathlib
import shutil

import numpy as np
import pytest
import tensorflow as tf

from keras_bert import losses
from keras_bert.checkpoints import CheckpointError
from keras_bert.losses.similarity import unit
from keras_bert.tasks import LateInteractionEmbedder
from keras_bert.tasks import MultiVectors
from keras_bert.tasks import RetrievalData
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import compress_vectors
from keras_bert.tasks import evaluate_retrieval
from keras_bert.tasks import load_any_task
from keras_bert.tasks import load_task
from keras_bert.tasks import max_sim
from keras_bert.tasks import mine_hard_negatives
from keras_bert.tasks import pool_vectors
from keras_bert.tasks import read_hard_negatives
from keras_bert.tasks import search
from tests.losses.gradients import value_and_gradient

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
_PYLATE = _GOLDEN / "pylate"
_TEXTS = ["the cat sees a dog.", "a, dogs!", "the", "a cat " * 20]
_PAIRS = [("the dog", "meat"), ("a cat", "fish"), ("a bird", "seeds")]
_RANKING = losses.MultipleNegativesRankingLoss
_LOSSES = {
    "contrastive": _RANKING(scale=1.0, similarity="dot"),
    "negatives": _RANKING(scale=2.0),
    "distillation": losses.DistillKLDivLoss(normalize_scores=True),
    "plain_distillation": losses.DistillKLDivLoss(),
}


@pytest.fixture(scope="module")
def golden():
    with np.load(_GOLDEN / "pylate.npz") as arrays:
        return dict(arrays)


@pytest.fixture
def pylate(tmp_path):
    """A directory of PyLate that a test can change."""
    return pathlib.Path(shutil.copytree(_PYLATE, tmp_path / "pylate"))


def _change(path, **values):
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def _assert_golden(embedder, golden):
    found = {
        "query": embedder.embed_query(_TEXTS),
        "document": embedder.embed_document(_TEXTS),
    }
    for name, vectors in found.items():
        assert len(vectors) == len(_TEXTS)
        for index, array in enumerate(vectors):
            np.testing.assert_allclose(
                array, golden[f"{name}/{index}"], rtol=0, atol=1e-5
            )


def test_vectors_are_those_of_pylate(golden):
    embedder = LateInteractionEmbedder.from_pretrained(_PYLATE)
    _assert_golden(embedder, golden)
    assert embedder.embed("the").shape == (4, 8)
    assert len(embedder.embed([])) == 0


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_saved_embedders_are_read(golden, tmp_path, format):
    embedder = LateInteractionEmbedder.from_pretrained(_PYLATE)
    embedder.save(tmp_path, format)
    for task in (
        LateInteractionEmbedder.from_pretrained(tmp_path),
        load_any_task(tmp_path),
        load_any_task(tmp_path, "late_interaction_embedder"),
        load_task(tmp_path),
    ):
        assert task.settings == embedder.settings
        _assert_golden(task, golden)


def test_the_format_of_stanford_is_read_and_written(tmp_path):
    markers = {"query": "[SEP]", "document": "[CLS]"}
    embedder = LateInteractionEmbedder.from_pretrained(_PYLATE, prompts=markers)
    embedder.save(tmp_path, "colbert")
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["architectures"] == ["HF_ColBERT"]
    found = LateInteractionEmbedder.from_pretrained(tmp_path, strict=True)
    assert load_any_task(tmp_path).settings == found.settings
    assert found.settings == embedder.settings
    for name in ("embed_query", "embed_document"):
        np.testing.assert_array_equal(
            getattr(found, name)(_TEXTS).values,
            getattr(embedder, name)(_TEXTS).values,
        )


def test_defaults_of_stanford(make_bert, tmp_path):
    bert = make_bert(max_position_embeddings=24)
    embedder = LateInteractionEmbedder(
        bert.with_tokens(["[unused0]", "[unused1]"]), query_length=10
    )
    embedder.save(tmp_path, "colbert")
    (tmp_path / "artifact.metadata").unlink()
    (tmp_path / "manifest.json").unlink()
    settings = LateInteractionEmbedder.from_pretrained(tmp_path).settings
    assert settings["prompts"]["query"] == "[unused0]"
    assert settings["query_length"] == settings["seq_length"] == 24


@pytest.mark.parametrize(
    "metadata, message",
    [
        ({"query_token_id": "[unused9]"}, "in the vocabulary.*unused9"),
        ({"similarity": "l2"}, "similarity` must be cosine. Received: 'l2'"),
        ({"doc_maxlen": "x"}, "doc_maxlen` must be a positive int"),
    ],
)
def test_metadata_that_cannot_be_used_are_named(tmp_path, metadata, message):
    markers = {"query": "[SEP]", "document": "[CLS]"}
    embedder = LateInteractionEmbedder.from_pretrained(_PYLATE, prompts=markers)
    embedder.save(tmp_path, "colbert")
    (tmp_path / "manifest.json").unlink()
    _change(tmp_path / "artifact.metadata", **metadata)
    with pytest.raises(CheckpointError, match=f"artifact.metadata.*{message}"):
        LateInteractionEmbedder.from_pretrained(tmp_path)


def test_directories_without_dense_have_the_hidden_states(pylate):
    path = pylate / "modules.json"
    path.write_text(json.dumps(json.loads(path.read_text())[:1]))
    embedder = LateInteractionEmbedder.from_pretrained(pylate)
    assert (embedder.dim, embedder.dense) == (16, [])


def test_the_encoder_of_an_embedder_is_read(bert, tmp_path):
    TextEmbedder(bert).save(tmp_path, "hf")
    embedder = LateInteractionEmbedder.from_pretrained(tmp_path, dim=7)
    assert embedder.embed_document("the dog").shape == (4, 7)


def test_texts_without_vectors_have_the_score_0(golden):
    embedder = LateInteractionEmbedder.from_pretrained(
        _PYLATE, skip_words=["[CLS]", "[SEP]"], prompts={}
    )
    documents = embedder.embed_document(["a", "", "the"])
    assert documents.lengths.tolist() == [1, 0, 1]
    queries = embedder.embed_query(["a"])
    scores = max_sim(queries, documents)
    assert scores[0, 1] == 0
    (only,) = max_sim(queries, documents[[0, 2]])
    np.testing.assert_array_equal(scores[0, [0, 2]], only)
    assert embedder.predict([""]) == [[]]
    history = embedder.fit([("a", ""), ("the", "a")], epochs=1, verbose=0)
    assert history.history["loss"][0] < 100


def test_scored_pairs_are_evaluated_without_a_loss(make_bert):
    embedder = LateInteractionEmbedder(make_bert(max_position_embeddings=16))
    history = embedder.fit(
        _PAIRS, validation_data=(_PAIRS, [0.1, 0.5, 0.9]), epochs=1, verbose=0
    ).history
    assert {*history} == {"loss", "val_pearson", "val_spearman"}


def test_several_datasets_are_trained(make_bert):
    embedder = LateInteractionEmbedder(make_bert(max_position_embeddings=16))
    triplets = [[*pair, "a"] for pair in _PAIRS]
    history = embedder.fit(
        {"pairs": _PAIRS, "scored": (triplets, [[0.9, 0.1]] * 3)},
        loss={"pairs": None, "scored": losses.DistillKLDivLoss()},
        epochs=8,
        batch_size=3,
        learning_rate=1e-2,
        verbose=0,
    ).history
    assert history["loss"][-1] < history["loss"][0]


def test_hard_negatives_are_mined(tmp_path):
    embedder = LateInteractionEmbedder.from_pretrained(_PYLATE)
    pairs = [("the cat", "a dog"), ("a dog sees", "the dogs"), ("cat", "a cat")]
    path = tmp_path / "mined.jsonl"
    mine_hard_negatives(embedder, pairs, path, num_negatives=1, margin=0.0)
    mined = read_hard_negatives(path, embedder)
    for anchor, positive, negative in mined:
        documents = embedder.embed_document([positive, negative])
        (scores,) = max_sim(embedder.embed_query([anchor]), documents)
        assert scores[0] >= scores[1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.ones((2, 2)),), "must be `MultiVectors`"),
        ((MultiVectors(np.ones((2, 2)), [2]), 0), "pool_factor=0"),
        ((MultiVectors(np.ones((2, 2), "int8"), [2]),), "int8"),
        ((MultiVectors(np.full((2, 2), np.nan), [2]),), "finite.*nan"),
    ],
)
def test_vectors_that_cannot_be_pooled_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        pool_vectors(*arguments)


def test_no_vectors_are_pooled_to_none():
    assert len(pool_vectors(MultiVectors(np.ones((0, 2)), []))) == 0


def test_documents_are_normalized_projected_states(make_bert):
    bert = make_bert(max_position_embeddings=40)
    embedder = LateInteractionEmbedder(bert, dim=6, skip_words=["dog"])
    inputs = embedder.preprocess(["the dog eats"])
    states = bert.encoder(inputs)["sequence_output"].numpy()[0, :5]
    expected = states @ embedder.dense[0].kernel.numpy()
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    found = embedder.embed_document("the dog eats")
    np.testing.assert_allclose(found, expected[[0, 1, 3, 4]], atol=1e-5)
    queries = embedder.embed_query(["the dog eats", "a cat"])
    assert queries.lengths.tolist() == [32, 32]
    plain = LateInteractionEmbedder(bert, dim=6, query_expansion=False)
    assert plain.embed_query("the dog eats").shape == (5, 6)


@pytest.mark.parametrize("attends", [False, True])
def test_queries_are_expanded_with_mask_tokens(make_bert, attends):
    bert = make_bert(max_position_embeddings=16)
    embedder = LateInteractionEmbedder(
        bert, query_length=10, attend_to_expansion=attends
    )
    inputs = embedder.query_preprocess(["the dog"])
    ids, mask = (inputs[x].numpy() for x in ("input_ids", "input_mask"))
    ids = np.where(mask, ids, bert.tokenizer.vocabulary.id_of("[MASK]"))
    mask = np.ones_like(mask) if attends else mask
    states = bert.encoder(
        {"input_ids": ids, "input_mask": mask, "segment_ids": 0 * ids}
    )["sequence_output"].numpy()[0]
    expected = states @ embedder.dense[0].kernel.numpy()
    expected /= np.linalg.norm(expected, axis=-1, keepdims=True)
    found = embedder.embed_query("the dog")
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_prompts_that_are_no_tokens_are_texts(make_bert):
    bert = make_bert(max_position_embeddings=16)
    prompts = {"query": "dog : ", "document": "[MASK] the "}
    embedder = LateInteractionEmbedder(bert, prompts=prompts)
    vocabulary = bert.tokenizer.vocabulary

    def tokens(preprocess):
        inputs = preprocess(["cat"])
        ids, mask = inputs["input_ids"].numpy(), inputs["input_mask"].numpy()
        return [vocabulary.tokens[x] for x in ids[mask > 0]]

    assert "[MASK]" not in tokens(embedder.query_preprocess)
    assert tokens(embedder.preprocess)[:3] == ["[CLS]", "[MASK]", "the"]


def test_an_encoder_without_settings_has_the_markers_of_colbert(make_bert):
    bert = make_bert(max_position_embeddings=16)
    assert LateInteractionEmbedder(bert).settings["prompts"] == {}
    marked = bert.with_tokens(["[unused0]", "[unused1]"])
    embedder = LateInteractionEmbedder(marked)
    assert embedder.preprocess.template.marker == "[unused1]"
    assert embedder.query_preprocess.template.marker == "[unused0]"


@pytest.mark.parametrize("name", _LOSSES)
def test_losses_and_gradients_are_those_of_pylate(golden, name):
    vectors = golden[f"losses/{name}/embeddings"]
    labels = golden.get(f"losses/{name}/labels")
    if labels is None:
        labels = np.arange(vectors[:, :, 0, 0].size).reshape(vectors.shape[:2])

    def loss(targets, outputs, **options):  # PyLate scales its vectors.
        return _LOSSES[name](targets, unit(outputs), **options)

    value, gradient = value_and_gradient(loss, labels, vectors)
    np.testing.assert_allclose(value, golden[f"losses/{name}/loss"], rtol=1e-5)
    is_vector = vectors.any(axis=-1, keepdims=True)
    np.testing.assert_allclose(
        gradient * is_vector,
        golden[f"losses/{name}/gradient"] * is_vector,
        rtol=1e-5,
        atol=5e-6,
    )


def test_padding_is_no_candidate_of_the_maximum():
    random = np.random.default_rng(1)
    lengths = np.array([[2, 3], [1, 2]])
    vectors = random.normal(size=(2, 2, 3, 4)).astype("float32")
    vectors[:, 1] -= 3 * vectors[:, :1].sum(axis=(1, 2), keepdims=True)[0]
    vectors *= (np.arange(3) < lengths[..., None])[..., None]
    texts = [
        [vectors[row, n, : lengths[row, n]] for row in (0, 1)] for n in (0, 1)
    ]
    scores = np.array(
        [[(x @ y.T).max(axis=1).sum() for y in texts[1]] for x in texts[0]]
    )
    assert (scores < 0).any()
    shifted = np.exp(scores - scores.max(axis=1, keepdims=True))
    expected = -np.log(np.diag(shifted) / shifted.sum(axis=1)).mean()
    loss = _RANKING(scale=1.0, similarity="dot")
    found = loss(np.arange(4).reshape(2, 2), vectors)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.parametrize(
    "examples, labels, loss",
    [
        (_PAIRS, None, None),
        ([[*x, "a"] for x in _PAIRS], None, _RANKING(1.0, True, "dot")),
        (
            [[*x, "a"] for x in _PAIRS],
            [[0.9, 0.1]] * 3,
            losses.MarginMSELoss(),
        ),
        (
            [[*x, "a"] for x in _PAIRS],
            [[0.9, 0.1]] * 3,
            losses.DistillKLDivLoss(),
        ),
    ],
)
def test_training_lowers_the_loss(make_bert, examples, labels, loss):
    bert = make_bert(max_position_embeddings=16)
    embedder = LateInteractionEmbedder(bert, dim=8, query_length=8)
    recipe = {"epochs": 6, "batch_size": 3, "learning_rate": 1e-2}
    history = embedder.fit(
        examples, labels, validation_data=_PAIRS, loss=loss, verbose=0, **recipe
    ).history
    assert history["loss"][-1] < history["loss"][0]
    assert {"val_loss", "val_mean_reciprocal_rank"} <= {*history}


def test_scores_are_sums_of_maxima(golden):
    embedder = LateInteractionEmbedder.from_pretrained(_PYLATE)
    queries = embedder.embed_query(_TEXTS[:3])
    documents = embedder.embed_document(_TEXTS)
    expected = [
        [(query @ text.T).max(axis=1).sum() for text in documents]
        for query in queries
    ]
    np.testing.assert_allclose(max_sim(queries, documents), expected, rtol=1e-5)
    indices, scores = search(queries, documents, top_k=2, similarity="dot")
    order = np.argsort(-np.array(expected), axis=1)[:, :2]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_allclose(
        scores, np.take_along_axis(np.array(expected), order, 1), rtol=1e-5
    )
    candidates = np.array([[3, 1], [0, 2], [2, 3]])
    indices, again = search(queries, documents, candidates=candidates)
    for row, some, values in zip(candidates, indices, again, strict=True):
        assert {*row} == {*some} and values[0] >= values[1]
    data = RetrievalData(
        {"q": _TEXTS[0]},
        dict(zip("abcd", _TEXTS, strict=True)),
        {"q": {"a": 1}},
    )
    assert 0 < evaluate_retrieval(embedder, data)["ndcg_at_10"] <= 1
    scores = embedder.evaluate([_TEXTS[:2], _TEXTS[1:3]], [0.1, 0.9])
    assert {*scores} == {"pearson", "spearman"}


def test_blocks_do_not_change_the_scores(monkeypatch):
    random = np.random.default_rng(0)
    lengths = random.integers(1, 9, 40)
    vectors = MultiVectors(random.normal(size=(lengths.sum(), 8)), lengths)
    expected = max_sim(vectors[:7], vectors), search(vectors[:7], vectors)
    name = "keras_bert.tasks.embeddings.{}.{}_VECTORS_AT_ONCE"
    for module in ("multi_vectors", "search"):
        monkeypatch.setattr(name.format(module, "CORPUS"), 5)
        monkeypatch.setattr(name.format(module, "QUERY"), 3)
    found = max_sim(vectors[:7], vectors), search(vectors[:7], vectors)
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-5)
    np.testing.assert_array_equal(found[1][0], expected[1][0])


def test_multi_vectors_are_indexed_like_a_list(tmp_path):
    arrays = [np.full((n, 2), n, "float32") for n in (1, 3, 2)]
    vectors = MultiVectors.of(arrays)
    np.save(tmp_path / "values.npy", vectors.values)
    values = np.load(tmp_path / "values.npy", mmap_mode="r")
    for some in (vectors, MultiVectors(values, vectors.lengths)):
        for index in (0, -1):
            np.testing.assert_array_equal(some[index], arrays[index])
        for part in (slice(1, None), slice(None, None, -1), slice(2, 1)):
            found = [x.tolist() for x in some[part]]
            assert found == [x.tolist() for x in arrays[part]]
        found = some[[2, 0]]
        assert [len(x) for x in found] == [2, 1]
        assert some[np.array([False, True, False])].lengths.tolist() == [3]
    assert vectors[:2].padded().shape == (2, 3, 2)
    for values, lengths, message in (
        (np.ones((3, 2)), [1, 1], r"rows as sum.*\(3, 2\).*\[1, 1\]"),
        (np.ones((2, 2)), [3, -1], r"at least 0.*\[3, -1\]"),
        (np.ones((2, 2)), [1.5, 0.5], r"integers.*\[1.5, 0.5\]"),
        (np.ones(2), [2], r"2D array.*\(2,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            MultiVectors(values, lengths)
    with pytest.raises(ValueError, match="same size. Received: sizes 2 and 3"):
        max_sim(vectors, MultiVectors(np.ones((1, 3)), [1]))
    with pytest.raises(ValueError, match="both be .MultiVectors.*ndarray"):
        search(vectors, vectors.values)
    with pytest.raises(ValueError, match="candidates.*row for each of the 3"):
        search(vectors, vectors, candidates=[[1]])
    with pytest.raises(ValueError, match="candidates=3"):
        search(vectors, vectors, candidates=[[3], [0], [0]])


@pytest.mark.parametrize("precision", ["int8", "binary"])
def test_compressed_vectors_are_searched(golden, precision):
    embedder = LateInteractionEmbedder.from_pretrained(_PYLATE)
    documents = embedder.embed_document(_TEXTS)
    small = compress_vectors(documents, precision=precision)
    size = {"int8": 8, "binary": 1}[precision]
    assert small.values.shape == (len(documents.values), size)
    queries = embedder.embed_query(_TEXTS[:1])
    _, scores = search(queries, small, similarity="dot")
    _, expected = search(queries, documents, similarity="dot")
    tolerance = {"int8": 0.02, "binary": 0.5}[precision]
    np.testing.assert_allclose(scores, expected, rtol=tolerance)


def test_pooling_keeps_the_means_of_clusters():
    first, second = np.eye(2, dtype="float32")
    near = (first + 0.1 * second) / np.linalg.norm(first + 0.1 * second)
    text = np.stack([second, first, near, second, first])
    vectors = MultiVectors.of([text, text[:1]])
    pooled = pool_vectors(vectors, pool_factor=2)
    assert pooled.lengths.tolist() == [3, 1]
    np.testing.assert_array_equal(pooled[0][0], second)
    mean = np.mean([first, near, first], axis=0)
    mean /= np.linalg.norm(mean)
    found = sorted(pooled[0][1:].tolist())
    np.testing.assert_allclose(found, [second, mean], atol=1e-6)
    assert pool_vectors(vectors, pool_factor=1).lengths.tolist() == [5, 1]


def test_graphs_return_the_vectors_of_the_tokens(golden):
    embedder = LateInteractionEmbedder.from_pretrained(_PYLATE)
    for task, name in (
        (embedder, "document"),
        (embedder.for_queries(), "query"),
    ):
        outputs = task.predict_texts(tf.constant(_TEXTS))
        counts = outputs["num_tokens"].numpy()
        for index, count in enumerate(counts):
            np.testing.assert_allclose(
                outputs["token_embeddings"][index, :count],
                golden[f"{name}/{index}"],
                atol=1e-5,
            )
            assert not outputs["token_embeddings"][index, count:].numpy().any()


def test_text_embedders_have_an_embedder_of_queries(bert):
    prompts = {"query": "the dog "}
    embedder = TextEmbedder(bert, prompts=prompts, include_prompt=False)
    queries = embedder.for_queries()
    expected = embedder.embed(["eats"], prompt="query")
    np.testing.assert_allclose(queries.embed(["eats"]), expected, atol=1e-6)
    found = queries.predict_texts(tf.constant(["eats"]))["embedding"]
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"query_length": 0}, "query_length.*=0"),
        ({"dense": 5}, "dense=5"),
        ({"dense": ["x"]}, "dense=.*'x'"),
        ({"skip_words": [1]}, "skip_words=.1"),
        ({"seq_length": 10**6}, "seq_length=1000000"),
        ({"dim": 0}, "dim.*=0"),
        ({"query_expansion": 1}, "query_expansion=1"),
        ({"skip_words": "abc"}, "skip_words='abc'"),
        ({"prompts": {"query": 1}}, "prompts="),
    ],
)
def test_wrong_arguments_are_named(make_bert, options, message):
    bert = make_bert(max_position_embeddings=16)
    with pytest.raises(ValueError, match=message):
        LateInteractionEmbedder(bert, **options)


@pytest.mark.parametrize(
    "loss", [losses.CoSENTLoss(), losses.TripletLoss(), losses.MSELoss()]
)
def test_losses_of_one_vector_are_refused(make_bert, loss):
    embedder = LateInteractionEmbedder(make_bert(max_position_embeddings=16))
    with pytest.raises(
        ValueError, match=f"several vectors.*{type(loss).__name__}"
    ):
        embedder.fit(_PAIRS, loss=loss, verbose=0)


@pytest.mark.parametrize(
    "name, changes, message",
    [
        (
            "config_sentence_transformers.json",
            {"similarity_fn_name": "meanmaxsim"},
            "similarity_fn_name.*'meanmaxsim'",
        ),
        ("1_Dense/config.json", {"use_residual": True}, "use_residual.*True"),
        (
            "config_sentence_transformers.json",
            {"query_prefix": 1},
            "query_prefix` must be a str. Received: 1",
        ),
        (
            "config_sentence_transformers.json",
            {"query_length": -3},
            "query_length` must be a positive int. Received: -3",
        ),
        (
            "config_sentence_transformers.json",
            {"skiplist_words": [1]},
            "skiplist_words` must be a list of str",
        ),
        ("1_Dense/config.json", {"in_features": 3}, "in_features.*3"),
    ],
)
def test_settings_that_cannot_be_used_are_named(pylate, name, changes, message):
    _change(pylate / name, **changes)
    with pytest.raises(CheckpointError, match=message):
        LateInteractionEmbedder.from_pretrained(pylate)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"query_expansion": False}, "query_expansion=True"),
        ({"skip_words": ["a"]}, "punctuation or no words"),
        ({"prompts": {}}, "prompts that are tokens"),
    ],
)
def test_stanford_has_no_other_settings(tmp_path, options, message):
    markers = {"query": "[SEP]", "document": "[CLS]"}
    embedder = LateInteractionEmbedder.from_pretrained(
        _PYLATE, **{"prompts": markers, **options}
    )
    with pytest.raises(ValueError, match=message):
        embedder.save(tmp_path, "colbert")
