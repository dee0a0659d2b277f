import threading

import keras
import numpy as np
import pytest

from keras_bert import tasks
from keras_bert.tasks.batches.packed_rows import PackedRows
from keras_bert.tasks.fine_tuning import forward as forward_module
from keras_bert.tasks.fine_tuning.forward import Forward


def _model():
    """Return a model that sums the ids of each row."""
    ids = keras.Input((None,), dtype="int32", name="input_ids")
    total = keras.ops.sum(keras.ops.cast(ids, "float32"), axis=1)
    return keras.Model({"input_ids": ids}, {"total": total})


def _rows(lengths):
    values = {"input_ids": np.arange(sum(lengths), dtype="int32")}
    return PackedRows(values, np.array(lengths, int), {"input_ids": 0})


def test_each_example_comes_once_with_its_own_answer():
    lengths = np.random.default_rng(0).integers(1, 9, 50)
    rows = _rows(lengths)
    starts = np.cumsum(lengths) - lengths
    found = {}
    for indices, outputs in Forward(_model(), batch_tokens=20)(rows):
        assert lengths[indices].max() * len(indices) <= 20
        for index, total in zip(indices, outputs["total"], strict=True):
            assert index not in found
            found[index] = total
    assert found == {
        n: sum(range(starts[n], starts[n] + lengths[n])) for n in range(50)
    }


@pytest.mark.parametrize("backend", ["tensorflow", "jax"])
def test_only_tensorflow_runs_batches_in_threads(backend, monkeypatch):
    main = threading.current_thread()
    monkeypatch.setattr("keras.backend.backend", lambda: backend)
    found = forward_module._computed(
        lambda bucket: threading.current_thread() is main, [[0], [1]]
    )
    assert [*found] == [backend == "jax"] * 2


def test_the_batches_of_a_task_are_as_large_as_it_says(bert, monkeypatch):
    task = tasks.TextRegressor(bert)
    seen = []

    def length_buckets(lengths, batch_tokens):
        buckets = original(lengths, batch_tokens)
        seen.append([len(bucket) for bucket in buckets])
        return buckets

    original = forward_module.length_buckets
    monkeypatch.setattr(forward_module, "length_buckets", length_buckets)
    texts = ["the dog"] * 6  # Four tokens each, including special tokens.
    answers = task.predict(texts)
    task.batch_tokens = 8
    for one, other in zip(answers, task.predict(texts), strict=True):
        assert one == pytest.approx(other)
    assert seen == [[6], [2, 2, 2]]


def test_no_examples_give_nothing():
    assert list(Forward(_model())(_rows([]))) == []


def test_it_sees_the_weights_as_they_are_now():
    ids = keras.Input((None,), dtype="int32", name="input_ids")
    table = keras.layers.Embedding(4, 1, embeddings_initializer="zeros")
    total = keras.ops.sum(table(ids), axis=(1, 2))
    forward = Forward(keras.Model({"input_ids": ids}, {"total": total}))
    rows = _rows([3])
    ((_, before),) = forward(rows)
    table.set_weights([np.full((4, 1), 2.0)])
    ((_, after),) = forward(rows)
    assert (before["total"].tolist(), after["total"].tolist()) == ([0], [6])
