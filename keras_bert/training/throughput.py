"""How fast a run is, beside what the machine could do."""

import time

import tensorflow as tf

_SIZE = 2048
_SECONDS = 0.3


def training_flops(config, seq_length, num_predictions, has_nsp_head=True):
    """Operations of the matrix products of a training step, per example.

    A multiplication and an addition are two. The backward pass is twice the
    forward one. The last block is counted at the positions that the heads
    look at; of the others it needs the keys and the values.

    Args:
        config: a config of any family.
        seq_length: int.
        num_predictions: int, masked tokens in an example.
        has_nsp_head: bool, whether [CLS] is looked at too.

    Returns:
        int
    """
    sizes = config.sizes
    hidden_size, num_blocks = sizes["H"], sizes["L"]
    num_looked_at = num_predictions + has_nsp_head
    keys_and_values = 2 * 2 * hidden_size**2  # Of a token, as in the next.
    at_query = 2 * (
        2 * hidden_size**2  # The query and the output of the attention.
        + 2 * seq_length * hidden_size
        + 2 * hidden_size * sizes["I"]
    )
    blocks = (
        num_blocks * seq_length * keys_and_values
        + (num_blocks - 1) * seq_length * at_query
        + num_looked_at * at_query
    )
    masked_lm_head = (
        2 * num_predictions * hidden_size * (hidden_size + sizes["V"])
    )
    nsp_head = 2 * hidden_size * (hidden_size + 2) * has_nsp_head
    return 3 * (blocks + masked_lm_head + nsp_head)


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
