"""The rate of matrix products that a machine is capable of."""

import time

import tensorflow as tf

_SIZE = 2048
_SECONDS = 0.3


def matrix_product_rate(dtype):
    """Operations a second of a large matrix product on the first device.

    Args:
        dtype: str, such as "float32" or "bfloat16".

    Returns:
        float
    """
    matrix = tf.cast(tf.random.stateless_normal([_SIZE, _SIZE], [0, 1]), dtype)

    @tf.function
    def product():
        return tf.reduce_sum(tf.cast(matrix @ matrix, tf.float32))

    float(product())
    best, start = float("inf"), time.perf_counter()
    while time.perf_counter() - start < _SECONDS:
        before = time.perf_counter()
        float(product())
        best = min(best, time.perf_counter() - before)
    return 2 * _SIZE**3 / best
