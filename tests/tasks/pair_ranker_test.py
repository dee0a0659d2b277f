"""Tests for `PairRanker`."""

import json

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import losses
from keras_bert.checkpoints import CheckpointError
from keras_bert.tasks import PairRanker
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import load_task
from keras_bert.tasks.outputs.ranking_scores import ranking_scores

_DOCUMENTS = ["the dog eats meat", "a cat", "the bird sees seeds"]
_QUERIES = ["dog", "the cat", "a bird"]
_LISTS = [*zip(_QUERIES, [_DOCUMENTS, _DOCUMENTS[:2], _DOCUMENTS])]
_LABELS = [[1, 0, 0], [0, 1], [0, 0, 1]]
_PAIRS = [(query, text) for query, texts in _LISTS for text in texts]
_FLAT = [label for labels in _LABELS for label in labels]
_SETTINGS = "config_sentence_transformers.json"
_IDENTITY = "torch.nn.modules.linear.Identity"


@pytest.fixture
def make(make_bert):
    def make(**arguments):
        keras.utils.set_random_seed(1)
        ranker = PairRanker(make_bert(), **arguments)
        head = ranker._last_layer.logits
        head.set_weights([3 * w + 0.1 for w in head.get_weights()])
        return ranker

    return make


@pytest.mark.smoke("ListNet")
@pytest.mark.parametrize("loss", ["ListNet", "Lambda", "ScoreMarginMSE"])
def test_lists_are_learned(make, loss):
    ranker, data = make(), (_LISTS, _LABELS)
    recipe = {"loss": getattr(losses, f"{loss}Loss")(), "verbose": 0}
    recipe |= {"epochs": 12, "learning_rate": 0.03}
    history = ranker.fit(*data, validation_data=data, **recipe)
    metrics = ranker.evaluate(_PAIRS, _FLAT)
    assert metrics["mrr_at_10"] == max(history.history["val_mrr_at_10"]) == 1
    assert [ranker.rank(*x)[0][0] for x in _LISTS] == [0, 1, 2]


def test_documents_are_ranked_by_score(make):
    ranker = make()
    scores = ranker.predict([("dog", text) for text in _DOCUMENTS])
    found = ranker.rank("dog", _DOCUMENTS)
    assert dict(found) == pytest.approx(dict(enumerate(scores)))
    assert [score for _, score in found] == sorted(scores, reverse=True)
    assert ranker.rank("dog", _DOCUMENTS, top_k=1) == found[:1]
    assert ranker.rank("dog", []) == ranker.predict([]) == []
    columns = [tf.constant(x) for x in zip(*_PAIRS, strict=True)]
    graph = ranker.predict_texts(*columns)["score"]
    np.testing.assert_allclose(graph, ranker.predict(_PAIRS), atol=1e-5)
    of_lists = ranker._validate(ranker._labelled(_LISTS, _LABELS), 0.0)
    of_pairs = ranker._validate(ranker._labelled(_PAIRS, _FLAT), 0.0)
    assert of_lists == pytest.approx(of_pairs)


def _forget_task(directory):
    for name in ("task.json", "manifest.json"):
        (directory / name).unlink()


# Settings in config.json and config_sentence_transformers.json, by version.
@pytest.mark.parametrize(
    ("config", "settings", "activation"),
    [
        ({}, {"activation_fn": _IDENTITY, "prompts": {}}, "linear"),
        ({"sentence_transformers": {"activation_fn": _IDENTITY}}, {}, "linear"),
        ({"sbert_ce_default_activation_function": _IDENTITY}, {}, "linear"),
        ({}, {}, "sigmoid"),
    ],
)
def test_cross_encoders_are_read(make, tmp_path, config, settings, activation):
    make(seq_length=10).save(tmp_path, format="hf")
    _forget_task(tmp_path)
    path = tmp_path / "config.json"
    published = json.loads(path.read_text())
    saved = published.pop("sentence_transformers")["activation_fn"]
    assert saved == "torch.nn.modules.activation.Sigmoid"
    path.write_text(json.dumps({**published, **config}))
    if settings:
        (tmp_path / _SETTINGS).write_text(json.dumps(settings))
    ranker = PairRanker.from_pretrained(tmp_path)
    assert ranker.settings == {"activation": activation, "seq_length": 10}
    logits = TextRegressor.from_pretrained(tmp_path).predict(_PAIRS)
    expected = keras.ops.sigmoid(logits) if activation == "sigmoid" else logits
    np.testing.assert_allclose(ranker.predict(_PAIRS), expected, atol=1e-5)
    ranker.save(tmp_path / "again", format="hf")
    assert load_task(tmp_path / "again").settings == ranker.settings


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"activation_fn": "torch.nn.Tanh"}, "Sigmoid, Identity. .*nn.Tanh"),
        ({"default_prompt_name": "query"}, "prompts .* default_prompt_name='q"),
        (None, "must be a JSON object|config_sentence"),
    ],
)
def test_other_cross_encoders_are_refused(make, tmp_path, settings, message):
    make().save(tmp_path, format="hf")
    _forget_task(tmp_path)
    (tmp_path / _SETTINGS).write_text(json.dumps(settings))
    with pytest.raises(CheckpointError, match=message):
        PairRanker.from_pretrained(tmp_path)


def test_metrics_are_means_over_queries():
    """Worked out by hand; the last query has no relevant document."""
    labels = np.array([0, 1, 2, 1, 0, 0, 0.0])
    scores = np.array([3, 2, 1, 0, 0, 1.0, 2])
    found = ranking_scores("aaabbcc", labels, scores)
    gain = (1 / np.log2(3) + 2 / np.log2(4)) / (2 + 1 / np.log2(3))
    assert found["ndcg_at_10"] == pytest.approx((gain + 1) / 2)
    assert found["mrr_at_10"] == (1 / 2 + 1) / 2
    assert found["mean_average_precision"] == ((1 / 2 + 2 / 3) / 2 + 1) / 2
    assert ranking_scores("abc", labels[:3], scores[:3])["mrr_at_10"] == 0.5
    assert ranking_scores("aa", np.zeros(2), scores[:2])["mrr_at_10"] == 0
