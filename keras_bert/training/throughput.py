"""How fast a run is, beside what the machine could do."""

import time

import tensorflow as tf

_SIZE = 2048
_SECONDS = 0.3


def training_flops(config, seq_length, num_predictions):
    """Operations of the matrix products of a training step, per example.

    A multiplication and an addition are two. The backward pass is twice the
    forward one.

    Args:
        config: `BertConfig`.
        seq_length: int.
        num_predictions: int, masked tokens in an example.

    Returns:
        int
    """
    hidden = config.hidden_size
    projections = 4 * hidden**2 + 2 * hidden * config.intermediate_size
    attention = 2 * seq_length * hidden
    block = 2 * seq_length * (projections + attention)
    head = 2 * num_predictions * hidden * (hidden + config.vocab_size)
    pooler = 2 * hidden * (hidden + 2)
    return 3 * (config.num_hidden_layers * block + head + pooler)


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
