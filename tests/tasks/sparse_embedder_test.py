import json

import keras
import numpy as np
import pytest
import scipy.sparse
import tensorflow as tf

from keras_bert import losses
from keras_bert import save_pretrained
from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints.arrays.safetensors_file import write_weights
from keras_bert.tasks import RetrievalData
from keras_bert.tasks import SparseEmbedder
from keras_bert.tasks import TextEmbedder
from keras_bert.tasks import compress_vectors
from keras_bert.tasks import evaluate_retrieval
from keras_bert.tasks import load_any_task
from keras_bert.tasks import load_task
from keras_bert.tasks import mine_hard_negatives
from keras_bert.tasks import read_hard_negatives
from keras_bert.tasks import search

_TEXTS = ["the dog eats meat", "", "a cat, a bird.", "cats and dogs " * 5]
_PAIRS = [("the dog", "meat"), ("a cat", "fish"), ("a bird", "seeds")]


def _logits(bert, text):
    """Return the logits of each token of a text, computed alone."""
    inputs = SparseEmbedder(bert).preprocess([text])
    length = int(inputs["input_mask"].numpy().sum())
    inputs = {name: x[:, :length] for name, x in inputs.items()}
    positions = tf.range(length)[None]
    outputs = bert.pretrainer({**inputs, "masked_lm_positions": positions})
    return outputs["mlm_logits"].numpy()[0]


@pytest.mark.parametrize("activation", ["relu", "log1p_relu"])
@pytest.mark.parametrize("pooling", ["max", "sum"])
def test_weights_are_pooled_logits(bert, pooling, activation):
    embedder = SparseEmbedder(bert, pooling=pooling, activation=activation)
    found = embedder.embed(_TEXTS)
    assert found.format == "csr" and found.dtype == np.float32
    for row, text in zip(found.toarray(), _TEXTS, strict=True):
        weights = np.log1p(np.maximum(_logits(bert, text), 0))
        if activation == "log1p_relu":
            weights = np.log1p(weights)
        expected = getattr(weights, pooling)(axis=0)
        np.testing.assert_allclose(row, expected, atol=1e-5)
        assert (expected > 0).any() and (expected == 0).any()


def test_a_row_without_tokens_has_no_weights(bert):
    embedder = SparseEmbedder(bert)
    ids = embedder.preprocess(["the dog", "a cat"])
    mask = ids["input_mask"] * [[1], [0]]
    found = embedder.predict_ids({**ids, "input_mask": mask})
    assert np.array(found["weights"])[0, 0] > 0
    assert not np.array(found["weights"])[1].any()
    assert (np.array(found["piece_ids"])[1] == -1).all()


def test_the_largest_weights_are_kept_and_decoded(bert):
    (expected,) = SparseEmbedder(bert).embed(_TEXTS[:1]).toarray()
    embedder = SparseEmbedder(bert, max_active_dims=3)
    one = embedder.embed(_TEXTS[0])
    order = np.argsort(-expected)[:3]
    tokens = bert.tokenizer.vocabulary.tokens
    assert embedder.decode(one) == [
        (tokens[index], pytest.approx(expected[index])) for index in order
    ]
    assert embedder.decode(embedder.embed(_TEXTS), 1)[0] == [
        (tokens[order[0]], pytest.approx(expected[order[0]]))
    ]
    words = dict(embedder.decode(one))
    assert embedder.predict(_TEXTS[0]) == words
    assert embedder.predict(_TEXTS)[0] == pytest.approx(words)
    graph = embedder.predict_texts(tf.constant(_TEXTS[:1]))
    assert np.array(graph["piece_ids"]).tolist() == [order.tolist()]


def test_no_texts_and_long_lists_are_taken(bert, monkeypatch):
    expected = SparseEmbedder(bert).embed(_TEXTS).toarray()
    monkeypatch.setattr("keras_bert.tasks.embedder._TEXTS_AT_ONCE", 3)
    embedder = SparseEmbedder(bert, batch_tokens=13)
    found = embedder.embed(_TEXTS[::-1]).toarray()
    np.testing.assert_allclose(found[::-1], expected, atol=1e-5)
    assert embedder.embed([]).shape == (0, embedder.dim)
    assert embedder.predict([]) == []


@pytest.mark.parametrize("format", ["keras", "hf"])
@pytest.mark.parametrize("has_query_weights", [False, True])
def test_a_saved_embedder_is_the_same(
    bert, tmp_path, format, has_query_weights
):
    options = {
        "pooling": "sum",
        "activation": "log1p_relu",
        "seq_length": 6,
        "prompts": {"query": "the "},
        "default_prompt_name": "query",
        "max_active_dims": 7,
        "similarity": "cosine",
    }
    if has_query_weights:
        size = bert.config.vocab_size
        options["query_weights"] = np.arange(1.0, size + 1)
        options["freeze_query_weights"] = True
    embedder = SparseEmbedder(bert, **options)
    embedder.save(tmp_path, format=format)
    for again in (
        SparseEmbedder.from_pretrained(tmp_path),
        load_any_task(tmp_path),
        load_task(tmp_path),
    ):
        assert again.settings == embedder.settings
        for name in ("embed", "embed_query", "embed_document"):
            expected = getattr(embedder, name)(_TEXTS).toarray()
            found = getattr(again, name)(_TEXTS).toarray()
            np.testing.assert_allclose(found, expected, atol=1e-6)


def test_a_masked_lm_is_read_and_a_dense_embedder_is_not(bert, tmp_path):
    save_pretrained(bert, tmp_path / "encoder", format="hf")
    found = load_any_task(tmp_path / "encoder", "sparse_embedder")
    expected = SparseEmbedder(bert).embed(_TEXTS).toarray()
    np.testing.assert_allclose(
        found.embed(_TEXTS).toarray(), expected, atol=1e-6
    )
    TextEmbedder(bert).save(tmp_path / "dense", format="hf")
    with pytest.raises(CheckpointError, match="Received: Transformer, Pooling"):
        SparseEmbedder.from_pretrained(tmp_path / "dense")
    found.save(tmp_path / "sparse", format="hf")
    with pytest.raises(CheckpointError, match="MLMTransformer, SpladePooling"):
        TextEmbedder.from_pretrained(tmp_path / "sparse")


def test_queries_have_the_weights_of_their_pieces(bert):
    weights = np.arange(1.0, bert.config.vocab_size + 1)
    embedder = SparseEmbedder(bert, query_weights=weights)
    vocabulary = bert.tokenizer.vocabulary
    expected = {x: vocabulary.id_of(x) + 1.0 for x in ("the", "dog")}
    queries = embedder.for_queries()
    assert queries.predict("the dog the dog") == expected
    found = embedder.embed_query(["the dog the dog", "", "the"])
    assert found.nnz == 3
    np.testing.assert_array_equal(found.sum(axis=1)[1], 0)
    documents = embedder.embed_document(_TEXTS).toarray()
    np.testing.assert_array_equal(
        documents, SparseEmbedder(bert).embed(_TEXTS).toarray()
    )


def test_queries_have_their_prompt(bert):
    weights = np.ones(bert.config.vocab_size)
    prompts = {"query": "the cat "}
    for options in ({}, {"query_weights": weights}):
        embedder = SparseEmbedder(bert, prompts=prompts, **options)
        (expected,) = embedder.embed_query(["dog"]).toarray()
        queries = embedder.for_queries()
        np.testing.assert_array_equal(queries.embed("dog").toarray(), expected)
        found = queries.predict_texts(tf.constant(["dog"]))
        np.testing.assert_allclose(
            np.sort(np.array(found["weights"])[0]),
            np.sort(expected[expected != 0]),
            rtol=1e-5,
        )


def test_negative_weights_are_active(bert):
    vocabulary = bert.tokenizer.vocabulary
    weights = np.ones(bert.config.vocab_size)
    weights[vocabulary.id_of("the")] = -2.0
    embedder = SparseEmbedder(bert, query_weights=weights, max_active_dims=1)
    queries = embedder.for_queries()
    assert queries.predict("the dog") == {"the": -2.0}
    found = queries.predict_texts(tf.constant(["the dog"]))
    assert np.array(found["weights"]).tolist() == [[-2.0]]


def test_single_texts_train_the_encoder(bert):
    weights = np.ones(bert.config.vocab_size)
    embedder = SparseEmbedder(bert, query_weights=weights)
    before = embedder.embed("the dog").toarray()
    texts = ["the dog", "a cat", "a bird", "meat"]
    embedder.fit(
        texts,
        [0, 0, 1, 1],
        loss=losses.BatchHardTripletLoss(),
        epochs=1,
        verbose=0,
    )
    assert np.abs(embedder.embed("the dog").toarray() - before).max() > 0
    assert (embedder.piece_weights.weight.numpy() == 1).all()


@pytest.fixture
def router(bert, tmp_path):
    """Return a directory with a Router, without a manifest."""
    size = bert.config.vocab_size
    embedder = SparseEmbedder(bert, query_weights=np.ones(size))
    embedder.save(tmp_path, format="hf")
    (tmp_path / "manifest.json").unlink()
    return tmp_path


def _change(file, **changes):
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def test_routes_may_have_other_names_and_folders(router):
    expected = SparseEmbedder.from_pretrained(router).embed(_TEXTS).toarray()
    folder = router / "passage_0"
    folder.mkdir()
    for path in [*router.iterdir()]:
        if path.suffix == ".json" and path.name not in (
            "modules.json",
            "router_config.json",
            "config_sentence_transformers.json",
        ):
            path.rename(folder / path.name)
    for name in ("model.safetensors", "vocab.txt"):
        (router / name).rename(folder / name)
    path = router / "router_config.json"
    types = json.loads(path.read_text())["types"]
    types["passage_0"] = types.pop(".")
    query, pooling = "query_0_SparseStaticEmbedding", "1_SpladePooling"
    structure = {"query": [query], "passage": ["passage_0", pooling]}
    _change(path, types=types, structure=structure)
    for found in (
        SparseEmbedder.from_pretrained(router),
        load_any_task(router),
        load_any_task(router, "sparse_embedder"),
        load_task(router),
    ):
        assert found.query_model is not None
        np.testing.assert_allclose(
            found.embed(_TEXTS).toarray(), expected, atol=1e-6
        )


@pytest.mark.parametrize(
    "name, changes, message",
    [
        ("router_config.json", {"structure": {}}, "router_config.*no route"),
        ("router_config.json", {"types": {}}, "router_config.*each route"),
        (
            "config_sentence_transformers.json",
            {"max_active_dims": 10**7},
            "config_sentence_transformers.*10000000",
        ),
        (
            "sentence_bert_config.json",
            {"max_seq_length": "abc"},
            "maximum length must be a number.*'abc'",
        ),
        (
            "1_SpladePooling/config.json",
            {"pooling_strategy": "mean"},
            "1_SpladePooling.*'mean'",
        ),
        (
            "query_0_SparseStaticEmbedding/config.json",
            {"path": "idf.json"},
            "query_0.*idf.json",
        ),
    ],
)
def test_settings_that_cannot_be_used_are_named(router, name, changes, message):
    _change(router / name, **changes)
    with pytest.raises(CheckpointError, match=message):
        SparseEmbedder.from_pretrained(router)


@pytest.mark.parametrize(
    "arrays, message",
    [
        ({"other": np.ones(18, "f")}, "must contain the array weight"),
        ({"weight": np.ones((1, 18), "f")}, r"shape \(18,\).*\(1, 18\)"),
        ({"weight": np.full(18, np.nan, "f")}, "weight must be finite"),
    ],
)
def test_wrong_query_weights_are_named(router, bert, tmp_path, arrays, message):
    folder = "query_0_SparseStaticEmbedding"
    write_weights(router / folder / "model.safetensors", arrays)
    with pytest.raises(CheckpointError, match=f"{folder}.*{message}"):
        SparseEmbedder.from_pretrained(router)


def test_lost_query_weights_are_an_error(bert, tmp_path):
    weights = np.ones(bert.config.vocab_size)
    SparseEmbedder(bert, query_weights=weights).save(tmp_path)
    (tmp_path / "manifest.json").unlink()
    (tmp_path / "query_weights.safetensors").unlink()
    with pytest.raises((CheckpointError, OSError), match="query_weights"):
        SparseEmbedder.from_pretrained(tmp_path)


def test_routes_with_another_vocabulary_are_refused(router):
    path = router / "query_0_SparseStaticEmbedding" / "tokenizer.json"
    model = json.loads(path.read_text())["model"]
    words = model["vocab"]
    words["dog"], words["cat"] = words["cat"], words["dog"]
    _change(path, model=model)
    with pytest.raises(CheckpointError, match="query_0.*the vocabulary of the"):
        SparseEmbedder.from_pretrained(router)


@pytest.mark.parametrize("is_frozen", [False, True])
def test_queries_without_a_model_are_trained(bert, is_frozen):
    weights = np.ones(bert.config.vocab_size)
    embedder = SparseEmbedder(
        bert, query_weights=weights, freeze_query_weights=is_frozen
    )
    recipe = {"epochs": 3, "batch_size": 3, "learning_rate": 1e-2}
    history = embedder.fit(_PAIRS, verbose=0, **recipe).history
    assert history["loss"][-1] < history["loss"][0]
    changed = embedder.piece_weights.weight.numpy() != 1
    vocabulary = bert.tokenizer.vocabulary
    assert changed[vocabulary.id_of("dog")] == (not is_frozen)
    assert not changed[vocabulary.id_of("[CLS]")]


def test_a_regularizer_makes_embeddings_sparse(make_bert):
    recipe = {"epochs": 8, "batch_size": 3, "learning_rate": 1e-2}
    active = []
    for weight in (0.0, 10.0):
        embedder = SparseEmbedder(make_bert())
        ranking = losses.MultipleNegativesRankingLoss(1.0, similarity="dot")
        loss = losses.SpladeLoss(ranking, weight, weight)
        history = embedder.fit(
            _PAIRS, validation_data=_PAIRS, loss=loss, verbose=0, **recipe
        ).history
        active.append(history["active_dims"][-1])
        assert history["val_active_dims"][-1] > 0
        assert {"val_loss", "val_mean_reciprocal_rank"} <= {*history}
        assert float(loss.strength) == 1
    assert active[1] < 0.7 * active[0]


def test_the_regularizer_grows_in_the_first_third(bert):
    embedder = SparseEmbedder(bert)
    ranking = losses.MultipleNegativesRankingLoss(1.0, similarity="dot")
    loss = losses.SpladeLoss(ranking, 1.0)
    strengths = []

    class Record(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            strengths.append(float(loss.strength))

    embedder.fit(
        _PAIRS * 4,
        loss=loss,
        callbacks=[Record()],
        epochs=3,
        batch_size=3,
        verbose=0,
    )
    assert strengths == [0.0, 0.0625, 0.25, 0.5625, *[1.0] * 8]


def test_scored_pairs_and_sparse_search(bert):
    embedder = SparseEmbedder(bert)
    scores = embedder.evaluate(_PAIRS, [0.1, 0.5, 0.9])
    assert {*scores} == {"active_dims", "pearson", "spearman"}
    queries, corpus = embedder.embed(["the dog"] * 2), embedder.embed(_TEXTS)
    for similarity in ("dot", "cosine"):
        found = search(queries, corpus, 3, similarity)
        expected = search(queries.toarray(), corpus.toarray(), 3, similarity)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_allclose(found[1], expected[1], atol=1e-5)
    as_matrix = scipy.sparse.csr_matrix(corpus)
    for one, other in zip(
        search(queries, as_matrix), search(queries, corpus), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    with pytest.raises(ValueError, match="both be arrays.*csr_array and nd"):
        search(queries, corpus.toarray())
    with pytest.raises(ValueError, match="a sparse array. Limit its size"):
        compress_vectors(corpus)
    with pytest.raises(ValueError, match="must have 18 columns"):
        embedder.decode(np.ones((1, 3)))
    data = RetrievalData(
        {"q": "the dog"},
        {"a": "the dog", "b": "a bird", "c": ""},
        {"q": {"b": 1}},
    )
    assert 0 <= evaluate_retrieval(embedder, data)["ndcg_at_10"] <= 1


@pytest.mark.parametrize("similarity", ["dot", "cosine"])
def test_hard_negatives_are_mined(bert, tmp_path, similarity):
    embedder = SparseEmbedder(bert, similarity=similarity)
    corpus = ["the cat", "a bird", "seeds", "the dog eats"]
    path = tmp_path / "mined.jsonl"
    mine_hard_negatives(
        embedder, _PAIRS, path, corpus=corpus, num_negatives=1, margin=0.0
    )
    mined = read_hard_negatives(path, embedder)
    documents = [*dict.fromkeys([x for _, x in _PAIRS] + corpus)]
    queries = embedder.embed_query([anchor for anchor, *_ in mined])
    indices, scores = search(
        queries, embedder.embed(documents), len(documents), similarity
    )
    for (_, positive, negative), row, values in zip(
        mined, indices, scores, strict=True
    ):
        ranked = [documents[index] for index in row]
        assert ranked.index(positive) < ranked.index(negative)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"pooling": "mean"}, "pooling.*max, sum.*'mean'"),
        ({"activation": "gelu"}, "activation.*relu.*'gelu'"),
        ({"max_active_dims": 0}, "max_active_dims.* Received: .*=0"),
        ({"max_active_dims": 10**6}, "max_active_dims.*1000000"),
        ({"similarity": "l2"}, "similarity='l2'"),
        ({"query_weights": [1.0]}, r"query_weights.*shape \(1,\)"),
        ({"query_weights": ["a"] * 18}, "query_weights.*array of <U1"),
        ({"query_weights": [np.inf] * 18}, "finite. Received: inf at index 0"),
        ({"freeze_query_weights": 1}, "freeze_query_weights=1"),
        ({"default_prompt_name": "x"}, "default_prompt_name='x'"),
    ],
)
def test_wrong_arguments_are_named(bert, options, message):
    with pytest.raises(ValueError, match=message):
        SparseEmbedder(bert, **options)


def test_a_model_without_a_head_is_refused(bert):
    with pytest.raises(ValueError, match="no masked_lm_head"):
        SparseEmbedder(bert.with_parts(["pooler"]))
