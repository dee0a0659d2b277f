import numpy as np
import pytest
import tensorflow as tf

from keras_bert.text.perfect_hash import NOT_FOUND
from keras_bert.text.perfect_hash import PerfectHash


@pytest.mark.parametrize("number", [0, 1, 2, 3, 17, 256, 257, 5000])
def test_keys_are_found_and_others_are_not(number):
    random = np.random.default_rng(number)
    pairs = random.choice(2**30, 2 * number, replace=False)
    left = (pairs >> 15).astype(np.int32)
    right = (pairs & 0x7FFF).astype(np.int64)
    number_of = PerfectHash(left[:number], right[:number])
    found = number_of(tf.constant(left), tf.constant(right)).numpy()
    np.testing.assert_array_equal(found[:number], np.arange(number))
    assert (found[number:] == NOT_FOUND).all()


def test_keys_that_differ_in_one_bit_are_told_apart():
    bits = np.array([0, *(1 << n for n in range(63)), -(2**63)], np.int64)
    number_of = PerfectHash(bits, bits[::-1].copy())
    found = number_of(tf.constant(bits), tf.constant(bits[::-1])).numpy()
    np.testing.assert_array_equal(found, np.arange(len(bits)))
    found = number_of(tf.constant(bits), tf.constant(bits)).numpy()
    assert (np.delete(found, len(bits) // 2) == NOT_FOUND).all()
