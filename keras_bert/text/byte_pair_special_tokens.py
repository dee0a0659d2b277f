"""Special tokens written in a text, such as <mask>, become their ids."""

import tensorflow as tf

from keras_bert.text.byte_pair_vocabulary import MASK
from keras_bert.text.byte_pair_vocabulary import SPECIAL_TOKENS
from keras_bert.text.character_kinds import SPACE
from keras_bert.text.character_kinds import character_kinds
from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import where

# Each begins with it, and has it nowhere else: no two overlap.
_OPENING = ord("<")


def find_special_tokens(flat, vocabulary):
    """Takes special tokens out of the text, and the white space before <mask>.

    Args:
        flat: `FlatTexts`.
        vocabulary: `BytePairVocabulary`.

    Returns:
        `FlatTexts` that have their ids as `tokens`.
    """
    places = where(tf.equal(flat.bytes, _OPENING))
    ids = tf.fill(tf.shape(places), -1)
    lengths = tf.zeros_like(places)
    for token in SPECIAL_TOKENS:
        is_here = tf.ones_like(places, tf.bool)
        for distance, code in enumerate(token.encode("ascii")):
            is_here &= tf.equal(tf.gather(flat.bytes, places + distance), code)
        ids = tf.where(is_here, vocabulary.id_of(token), ids)
        lengths = tf.where(is_here, len(token), lengths)
    places, lengths, ids = (
        tf.boolean_mask(x, ids >= 0) for x in (places, lengths, ids)
    )
    is_mask = tf.equal(ids, vocabulary.id_of(MASK))
    firsts = tf.where(is_mask, _before_space(flat, places), places)
    covered = tf.ragged.range(firsts, places + lengths).flat_values
    return flat._replace(
        tokens=scatter(flat.tokens, places, ids),
        is_text=scatter(flat.is_text, covered, tf.zeros_like(covered, tf.bool)),
    )


def _before_space(flat, places):
    """Where the white space begins that ends at each place."""
    kinds, _ = character_kinds(flat)
    others = where(tf.not_equal(kinds, SPACE))
    before = tf.searchsorted(others, places) - 1
    return tf.gather(others, before) + 1
