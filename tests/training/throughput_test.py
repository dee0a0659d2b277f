import time
import types

import numpy as np

from keras_bert.training import throughput
from keras_bert.training.throughput import matrix_product_rate


def test_the_rate_is_that_of_the_fastest_product(monkeypatch):
    """On a clock on which the first product takes 0.25 s, the next 0.125 s."""
    times = iter([0.0, 0.0, 0.0, 0.25, 0.25, 0.25, 0.375, 0.375])
    clock = types.SimpleNamespace(perf_counter=lambda: next(times))
    monkeypatch.setattr(throughput, "time", clock)
    assert matrix_product_rate("float32") == 2 * 2048**3 / 0.125


def test_the_rate_is_about_that_of_numpy():
    matrix = np.ones((2048, 2048), np.float32)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        matrix @ matrix
        seconds.append(time.perf_counter() - start)
    rate = 2 * 2048**3 / min(seconds)
    assert 1 / 20 < matrix_product_rate("float32") / rate < 20
