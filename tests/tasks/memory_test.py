import functools
import gc
import weakref

import keras
import pytest

from keras_bert import losses
from keras_bert import tasks
from keras_bert.tasks.training import fine_tune as training
from keras_bert.tasks.training.batches import TrainingBatches
from tests import tiny
from tests.tasks.cases import CASES
from tests.tasks.cases import TEXTS
from tests.tasks.cases import create

_TRIPLES = [["the dog", "meat", "fish"], ["a cat", "fish", "seeds"]]


def _fit(name, bert, **arguments):
    case = CASES[name]
    task = getattr(tasks, case.kind)(bert, **case.options)
    task.fit(*case.examples, verbose=0, **arguments)
    return task


def _distill(bert):
    return _fit("classifier", bert, teacher=create("classifier"))


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


def _denoise(bert):
    task = tasks.TextEmbedder(bert)
    tasks.fit_denoising(task, TEXTS, verbose=0)
    return task


_FITS = {
    **{name: functools.partial(_fit, name) for name in CASES},
    "lora": lambda bert: _fit("classifier", bert, lora_rank=2),
    "parts": lambda bert: _fit("classifier", bert, parallel_parts=2),
    "recomputed": lambda bert: _fit(
        "classifier", bert, recompute=True, lora_rank=2
    ),
    "distilled": _distill,
    "embedder": _embed,
    "cached gradients": lambda bert: _embed(bert, mini_batch_size=1),
    "several datasets": _embed_several,
    "denoising": _denoise,
}


@pytest.mark.smoke("classifier", "recomputed", "several datasets")
@pytest.mark.parametrize("name", _FITS)
def test_what_fit_creates_is_freed_with_its_task(name, monkeypatch):
    held = []

    def batches(examples, *arguments):
        held.append(weakref.ref(examples))
        return TrainingBatches(examples, *arguments)

    monkeypatch.setattr(training, "TrainingBatches", batches)
    bert = tiny.make_bert(hidden_dropout_prob=0.1)
    task = _FITS[name](bert)
    assert held
    weights = [weakref.ref(v) for v in task.model.variables]
    gc.collect()
    assert not any(reference() for reference in held)
    assert all(reference() is not None for reference in weights)
    del task, bert
    keras.backend.clear_session()
    gc.collect()
    assert not any(reference() is not None for reference in weights)
