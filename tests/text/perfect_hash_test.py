import numpy as np
import pytest
import tensorflow as tf

from keras_bert.text.perfect_hash import NOT_FOUND
from keras_bert.text.perfect_hash import PerfectHash


@pytest.mark.parametrize("number", [0, 1, 2, 17, 257, 5000])
def test_keys_are_found_and_others_are_not(number):
    random = np.random.default_rng(number)
    pairs = random.choice(2**30, 2 * number, replace=False)
    left = (pairs >> 15).astype(np.int32)
    right = (pairs & 0x7FFF).astype(np.int64)
    number_of = PerfectHash(left[:number], right[:number])
    found = number_of(tf.constant(left), tf.constant(right)).numpy()
    np.testing.assert_array_equal(found[:number], np.arange(number))
    assert (found[number:] == NOT_FOUND).all()
