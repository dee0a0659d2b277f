import numpy as np
import tensorflow as tf

from keras_bert.pretraining import left_to_right_batches
from keras_bert.pretraining import token_batches
from keras_bert.pretraining.batches.static import padded_batches

_MASK_ID = 4


def _batches():
    """Return rows of 5 and 4 tokens, with two masked tokens and one."""
    inputs = {
        "input_ids": [[2, _MASK_ID, 11, 20, 3], [2, 12, _MASK_ID, 3, 0]],
        "input_mask": [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0]],
        "segment_ids": [[0, 0, 0, 1, 1], [0, 0, 1, 1, 0]],
        # A padding prediction is at position 0 with weight 0.
        "masked_lm_positions": [[1, 3], [2, 0]],
    }
    labels = {"mlm_logits": [[10, 13], [14, 0]], "nsp_logits": [1, 0]}
    weights = {
        "mlm_logits": tf.constant([[1.0, 1.0], [1.0, 0.0]]),
        "nsp_logits": tf.ones(2),
    }
    inputs = {name: tf.constant(value) for name, value in inputs.items()}
    labels = {name: tf.constant(value) for name, value in labels.items()}
    return tf.data.Dataset.from_tensors((inputs, labels, weights))


def test_every_token_is_predicted_from_those_before_it():
    (batch,) = left_to_right_batches(_batches())
    inputs, labels, weights = batch
    ids = [[2, 10, 11, 13, 3], [2, 12, 14, 3, 0]]
    np.testing.assert_array_equal(inputs["input_ids"], ids)
    np.testing.assert_array_equal(
        inputs["masked_lm_positions"], [[0, 1, 2, 3]] * 2
    )
    np.testing.assert_array_equal(
        labels["mlm_logits"], [row[1:] for row in ids]
    )
    np.testing.assert_array_equal(
        weights["mlm_logits"], [[1, 1, 1, 1], [1, 1, 1, 0]]
    )
    assert set(labels) == set(weights) == {"mlm_logits"}


def test_every_token_counts_and_no_padding():
    (batch,) = token_batches(padded_batches(_batches(), 3))
    inputs, labels, weights = batch
    (before,) = _batches()
    np.testing.assert_array_equal(
        inputs["masked_lm_ids"][:2], before[1]["mlm_logits"]
    )
    np.testing.assert_array_equal(
        inputs["input_ids"][:2], before[0]["input_ids"]
    )
    np.testing.assert_array_equal(
        weights["tokens"], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0], [0] * 5]
    )
    assert {*labels} == {"mlm_logits"}
    assert {*weights} == {"mlm_logits", "tokens"}
