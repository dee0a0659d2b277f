"""Operations of matrix products: those of a model, and a machine's rate.

A multiplication and an addition are two.
"""

import time

import tensorflow as tf

_SIZE = 2048
_SECONDS = 0.3


def training_flops(config, seq_length, num_predictions, has_nsp_head=True):
    """Operations of a training step, per example.

    The backward pass is twice the forward one. The last block is counted at
    the positions that the heads look at; of the others it needs the keys and
    the values.

    Args:
        config: a config of any family.
        seq_length: int.
        num_predictions: int, masked tokens in an example.
        has_nsp_head: bool, whether [CLS] is looked at too, by a head of two
            logits on a pooler.

    Returns:
        int
    """
    sizes = config.sizes
    hidden_size, num_blocks = sizes["H"], config.depth
    num_looked_at = num_predictions + has_nsp_head
    blocks = (
        num_blocks * seq_length * _keys_and_values(sizes)
        + (num_blocks - 1) * seq_length * _at_query(sizes, seq_length)
        + num_looked_at * _at_query(sizes, seq_length)
    )
    embedding_size = sizes.get("E", hidden_size)
    masked_lm_head = (
        2 * num_predictions * embedding_size * (hidden_size + sizes["V"])
    )
    nsp_head = 2 * hidden_size * (hidden_size + 2) * has_nsp_head
    embeddings = seq_length * _at_projection(sizes)
    return 3 * (embeddings + blocks + masked_lm_head + nsp_head)


def encoding_flops(config, seq_length):
    """Operations of the encoder at all positions, forward, per example."""
    sizes = config.sizes
    of_block = _keys_and_values(sizes) + _at_query(sizes, seq_length)
    return seq_length * (_at_projection(sizes) + config.depth * of_block)


def _at_projection(sizes):
    """From narrow embeddings to the width of the blocks, at one position."""
    return 2 * sizes["E"] * sizes["H"] if "E" in sizes else 0


def _keys_and_values(sizes):
    return 2 * 2 * sizes["H"] ** 2


def _at_query(sizes, seq_length):
    """The rest of a block at one position."""
    return 2 * (
        2 * sizes["H"] ** 2  # The query and the output of the attention.
        + 2 * seq_length * sizes["H"]
        + 2 * sizes["H"] * sizes["I"]
    )


def matrix_product_rate(dtype):
    """Operations a second of a large matrix product on the first device."""
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
