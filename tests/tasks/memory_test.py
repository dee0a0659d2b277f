"""A task is freed after `fit`, with its training data and its optimizer."""

import gc
import weakref

import keras
import numpy as np
import pytest

from keras_bert import losses
from keras_bert import tasks
from keras_bert.tasks.fine_tuning import training
from tests import tiny

_TEXTS = ["the dog", "a cat", "the bird", "meat and fish"]
_NUMBERS = [0, 0, 1, 1]
_PAIRS = [[text, "a bird"] for text in _TEXTS]
_TRIPLES = [["the dog", "meat", "fish"], ["a cat", "fish", "seeds"]]
_SQUAD = tiny.squad(("the dog eats meat", {"1": ("eats", "meat")}))


def _classify(bert, **arguments):
    task = tasks.TextClassifier(bert, labels=["x", "y"])
    task.fit(_TEXTS, _NUMBERS, verbose=0, **arguments)
    return task


def _distill(bert):
    teacher = tasks.TextClassifier(tiny.make_bert(), labels=["x", "y"])
    return _classify(bert, teacher=teacher)


def _regress(bert):
    task = tasks.TextRegressor(bert)
    task.fit(_PAIRS, [1, 2, 3, 4], verbose=0)
    return task


def _tag(bert):
    task = tasks.TokenClassifier(bert, labels=["O", "A"])
    task.fit([["the", "dog"]], [["O", "A"]], verbose=0)
    return task


def _answer(bert):
    task = tasks.QuestionAnswerer(bert, doc_stride=3)
    task.fit(_SQUAD, verbose=0)
    return task


def _choose(bert):
    task = tasks.MultipleChoice(bert)
    task.fit([["the dog", ["sees", "eats"]]], [0], verbose=0)
    return task


def _embed(bert, **arguments):
    task = tasks.TextEmbedder(bert)
    task.fit(_TRIPLES, verbose=0, **arguments)
    return task


def _embed_several(bert):
    task = tasks.TextEmbedder(bert)
    loss = losses.MultipleNegativesRankingLoss
    task.fit(
        {"pairs": [pair[:2] for pair in _TRIPLES], "triples": _TRIPLES},
        loss={"pairs": loss(), "triples": loss()},
        verbose=0,
    )
    return task


def _rank(bert):
    task = tasks.PairRanker(bert)
    task.fit(_PAIRS, _NUMBERS, verbose=0)
    return task


def _few_shot(bert):
    embedder = tasks.TextEmbedder(bert)
    task = tasks.FewShotClassifier(embedder, labels=["x", "y"])
    task.fit(_TEXTS, _NUMBERS, num_iterations=1, verbose=0)
    return task


def _denoise(bert):
    task = tasks.TextEmbedder(bert)
    tasks.fit_denoising(task, _TEXTS, verbose=0)
    return task


def _keras_fit(bert):
    task = tasks.TextClassifier(bert, labels=["x", "y"])
    task.model.compile("adam", "mse", jit_compile=False)
    inputs = task.preprocess(_TEXTS)
    task.model.fit(inputs, {"logits": np.zeros((4, 2))}, verbose=0)
    return task


_FITS = {
    "classifier": _classify,
    "lora": lambda bert: _classify(bert, lora_rank=2),
    "parts": lambda bert: _classify(bert, parallel_parts=2),
    "distilled": _distill,
    "regressor": _regress,
    "tagger": _tag,
    "answers": _answer,
    "choices": _choose,
    "embedder": _embed,
    "cached gradients": lambda bert: _embed(bert, mini_batch_size=1),
    "several datasets": _embed_several,
    "ranker": _rank,
    "few-shot": _few_shot,
    "denoising": _denoise,
    "keras fit": _keras_fit,
}


@pytest.mark.smoke("classifier", "several datasets")
@pytest.mark.parametrize("name", _FITS)
def test_what_fit_creates_is_freed_with_its_task(name, monkeypatch):
    held = []

    class Batches(training.TrainingBatches):
        def __init__(self, examples, epochs):
            super().__init__(examples, epochs)
            held.append(weakref.ref(examples))

    monkeypatch.setattr(training, "TrainingBatches", Batches)
    bert = tiny.make_bert(hidden_dropout_prob=0.1)
    task = _FITS[name](bert)
    assert held or name == "keras fit"
    weights = [weakref.ref(v) for v in task.model.variables]
    gc.collect()
    assert not any(reference() for reference in held)
    assert all(reference() is not None for reference in weights)
    del task, bert
    keras.backend.clear_session()
    gc.collect()
    assert not any(reference() is not None for reference in weights)
