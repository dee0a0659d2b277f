import math
import unittest

import keras
import numpy as np

from keras_bert.training.span_cross_entropy import SpanCrossEntropy


def _loss(targets, logits, **kwargs):
    loss = SpanCrossEntropy(reduction=None, **kwargs)
    return np.asarray(loss(np.array(targets), np.array(logits, np.float32)))


class SpanCrossEntropyTest(unittest.TestCase):
    def test_it_is_the_mean_over_both_ends_worked_out_by_hand(self):
        # Of the first token 1/2, 1/4, 1/4; of the last 1/6, 2/6, 3/6.
        logits = np.log([[[2, 1], [1, 2], [1, 3]]])
        expected = (math.log(4) + math.log(2)) / 2
        np.testing.assert_allclose(
            _loss([[1, 2, 3]], logits), [expected], rtol=1e-6
        )

    def test_padding_takes_no_part(self):
        logits = np.log([[[2, 1], [1, 2], [1, 3], [5, 9], [900, 7]]])
        expected = (math.log(4) + math.log(2)) / 2
        np.testing.assert_allclose(
            _loss([[1, 2, 3]], logits), [expected], rtol=1e-6
        )

    def test_smoothing_spreads_a_share_over_the_tokens(self):
        logits = np.log([[[3, 1], [1, 1], [8, 8]]])
        first = -0.8 * math.log(0.75) - 0.1 * math.log(0.75 * 0.25)
        last = math.log(2)
        np.testing.assert_allclose(
            _loss([[0, 1, 2]], logits, label_smoothing=0.2),
            [(first + last) / 2],
            rtol=1e-6,
        )

    def test_examples_of_weight_0_do_not_count(self):
        targets = np.array([[0, 0, 2], [1, 1, 2]])
        logits = np.random.default_rng(0).normal(size=(2, 2, 2))
        loss = SpanCrossEntropy(reduction="mean_with_sample_weight")
        np.testing.assert_allclose(
            loss(targets, logits, np.array([0.0, 1.0])),
            _loss(targets[1:], logits[1:])[0],
            rtol=1e-6,
        )

    def test_it_is_saved_with_its_smoothing(self):
        loss = SpanCrossEntropy(0.3, reduction=None)
        again = keras.losses.deserialize(keras.losses.serialize(loss))
        self.assertIsInstance(again, SpanCrossEntropy)
        self.assertEqual(again.get_config(), loss.get_config())
        self.assertEqual(again.label_smoothing, 0.3)
