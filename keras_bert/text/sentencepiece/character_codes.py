"""Codes of characters in texts, computed by `FastBertNormalize` ops.

A table replaces each character by a number of bytes. The offsets that the op
returns are then counted.
"""

import tensorflow as tf

from keras_bert.text.normalization.replacements import build_table
from keras_bert.text.pieces import normalizer_op

_FIRST_LENGTH = 2  # Other bytes have length 1.
_CODES_PER_OP = 62  # A replacement has less than 64 bytes.


class CharacterCodes:
    """Callable that returns the index of each character in a list.

    Args:
        characters: str or list of str, single characters.

    Call arguments:
        texts: string `(batch_size,)`.
        begins: int64 `(batch_size,)`, the index of each text's first byte in
            the result. Each text has an item for its end.

    Returns:
        int32 `(num_bytes + batch_size,)`, the codes at the first bytes of the
        characters, -1 for other characters and ends.
    """

    def __init__(self, characters):
        self._ops = [
            replacing(
                {
                    character: "x" * length
                    for length, character in enumerate(
                        characters[first : first + _CODES_PER_OP], _FIRST_LENGTH
                    )
                }
            )
            for first in range(0, len(characters), _CODES_PER_OP)
        ]

    def __call__(self, texts, begins):
        codes = -1
        for number, op in enumerate(self._ops):
            index = count_bytes(op, texts, begins) - _FIRST_LENGTH
            index = tf.where(index < 0, -1, index + number * _CODES_PER_OP)
            codes = tf.maximum(codes, index)
        return codes


def count_bytes(op, texts, begins):
    """Count the bytes that replace each byte, with an item per text end."""
    _, offsets = op.normalize_with_offsets(texts)
    index = offsets.flat_values + tf.gather(begins, offsets.value_rowids())
    size = tf.reduce_max(tf.concat([index, [-1]], 0)) + 1
    ones = tf.ones_like(index, tf.int32)
    return tf.scatter_nd(index[:, tf.newaxis], ones, size[tf.newaxis])


def replacing(replacements):
    """Create the op that replaces characters as in a dict."""
    changed = {c: text for c, text in replacements.items() if text != c}
    return normalizer_op(build_table(changed))
