"""Where two marks, such as "``", stand for one quotation mark."""

import tensorflow as tf


def find_pairs(is_mark, places):
    """Pairs marks that follow each other, from the left.

    Args:
        is_mark: bool `(num_characters,)`, one kind of mark, of one byte.
        places: int `(num_characters,)`, where the characters begin.

    Returns:
        Two bool `(num_characters,)`: marks of a pair, and the second ones.
    """
    number = tf.range(tf.size(places))
    behind = tf.concat([[-1], places[:-1] + 1], 0)[: tf.size(places)]
    follows = tf.concat([[False], is_mark[:-1]], 0)[: tf.size(places)]
    follows = tf.logical_and(follows, tf.equal(places, behind))
    begins = tf.logical_and(is_mark, tf.logical_not(follows))
    firsts = tf.concat([[0], tf.boolean_mask(number, begins)], 0)
    first = tf.gather(firsts, tf.cumsum(tf.cast(begins, tf.int32)))
    is_odd = tf.equal((number - first) % 2, 1)
    second = tf.logical_and(is_mark, is_odd)
    before = tf.concat([second[1:], [False]], 0)[: tf.size(places)]
    return tf.logical_or(before, second), second
