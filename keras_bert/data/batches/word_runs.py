"""Runs of words to mask, as in `examples/masking.py`, in a tf.data graph."""

import tensorflow as tf


def choose_word_runs(keys, lengths, word_starts, maskable, wanted, longest):
    """Marks whole words, in random order until no further one fits.

    Args:
        keys: int32 `(num_examples, seq_length)`, at least 0; words are
            visited from the largest on.
        lengths: int32 `(num_examples, seq_length)`, the words in a run that
            begins there, at most `longest`.
        word_starts: bool `(num_examples, seq_length)`.
        maskable: bool `(num_examples, seq_length)`.
        wanted: int32 `(num_examples,)`, most pieces to mark.
        longest: int.

    Returns:
        bool `(num_examples, seq_length)`, True at marked pieces.
    """
    seq_length = keys.shape[1]
    keys = tf.where(word_starts, keys, -1)
    order = tf.math.top_k(keys, seq_length).indices
    ends = _run_ends(word_starts, maskable, longest)  # [B, S, N]
    number = tf.range(1, longest + 1)
    num_words = tf.math.count_nonzero(word_starts, axis=1, dtype=tf.int32)
    rows = tf.broadcast_to(
        tf.range(tf.shape(keys)[0])[:, None], [tf.shape(keys)[0], longest]
    )

    def some_fit(rank, room, taken):
        return tf.reduce_any((rank < num_words) & (room > 0))

    def visit(rank, room, taken):
        first = order[:, rank, None]  # [B, 1]
        run = tf.gather(ends, order[:, rank], batch_dims=1)  # [B, N]
        length = tf.gather(lengths, first, batch_dims=1)
        fits = (number <= length) & (run - first <= room[:, None])
        fits &= (rank < num_words)[:, None]
        end = tf.reduce_max(tf.where(fits, run, first), axis=1, keepdims=True)
        words = tf.concat([first, run[:, :-1]], axis=1)
        in_run = tf.cast(words < end, tf.int32)
        is_held = in_run * tf.gather(taken, words, batch_dims=1)
        is_free = 1 - tf.reduce_max(is_held, axis=1, keepdims=True)
        taken = tf.tensor_scatter_nd_max(
            taken, tf.stack([rows, words], axis=-1), in_run * is_free
        )
        return rank + 1, room - ((end - first) * is_free)[:, 0], taken

    # At starts of words; one more column, where the last runs end.
    taken = tf.zeros_like(tf.pad(keys, [[0, 0], [0, 1]]))
    *_, taken = tf.while_loop(some_fit, visit, (0, wanted, taken))
    word = tf.maximum(_count_so_far(word_starts) - 1, 0)
    start = tf.gather(_places(word_starts), word, batch_dims=1)
    return maskable & (tf.gather(taken, start, batch_dims=1) > 0)


def _run_ends(word_starts, maskable, longest):
    """The ends of runs of 1 up to `longest` words, int32 `(..., longest)`.

    No run goes beyond the last word of a text.
    """
    here = tf.range(tf.shape(maskable)[1] + 1)
    is_edge = tf.pad(
        word_starts | ~maskable, [[0, 0], [0, 1]], constant_values=True
    )
    begins = tf.pad(word_starts, [[0, 0], [0, 1]])
    # From one edge to the next; where no word begins, it stays.
    following = tf.pad(_places(is_edge), [[0, 0], [0, 1]])
    following = tf.gather(following, _count_so_far(is_edge), batch_dims=1)
    following = tf.where(begins, following, here)
    ends = [following[:, :-1]]
    for _ in range(longest - 1):
        ends.append(tf.gather(following, ends[-1], batch_dims=1))
    return tf.stack(ends, axis=-1)


def _places(is_it):
    """The places where it is so in a row, in order; then its length."""
    length = tf.shape(is_it)[1]
    return tf.sort(tf.where(is_it, tf.range(length), length), axis=1)


def _count_so_far(is_it):
    return tf.cumsum(tf.cast(is_it, tf.int32), axis=1)
