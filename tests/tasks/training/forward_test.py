import threading

import keras
import numpy as np
import pytest

from keras_bert import tasks
from keras_bert.tasks.training import forward as forward_module
from keras_bert.tasks.training.forward import Forward
from keras_bert.tasks.training.ragged_rows import RaggedRows


def _model():
    """Return a model that sums the ids of each row."""
    ids = keras.Input((None,), dtype="int32", name="input_ids")
    total = keras.ops.sum(keras.ops.cast(ids, "float32"), axis=1)
    return keras.Model({"input_ids": ids}, {"total": total})


def _rows(lengths):
    values = {"input_ids": np.arange(sum(lengths), dtype="int32")}
    return RaggedRows(values, np.array(lengths, int), {"input_ids": 0})


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
    counts = []
    functions = task._compute._functions

    def counted(count):
        counts.append(count)
        return functions(count)

    monkeypatch.setattr(task._compute, "_functions", counted)
    texts = ["the dog"] * 6  # Four tokens each, including special tokens.
    answers = task.predict(texts)
    task.batch_tokens = 8
    assert answers == pytest.approx(task.predict(texts), 1e-5)
    assert counts == [1, 3]
