import numpy as np
import tensorflow as tf

from keras_bert.pretraining import left_to_right_batches
from keras_bert.pretraining import permuted_batches
from keras_bert.pretraining import span_boundary_batches
from keras_bert.pretraining import token_batches
from keras_bert.pretraining.batches.static import padded_batches

_SEP_ID = 3


def _equal(tensor, values):
    return tensor.numpy().tolist() == values


def _batches():
    """Return rows of 5 and 4 tokens, with two replaced tokens and one."""
    inputs = {
        "input_ids": [[2, 25, 11, 20, 3], [2, 12, 4, 3, 0]],
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
    ((inputs, labels, weights),) = left_to_right_batches(_batches())
    ids = [[2, 10, 11, 13, 3], [2, 12, 14, 3, 0]]
    assert _equal(inputs["input_ids"], ids)
    assert _equal(inputs["masked_lm_positions"], [[0, 1, 2, 3]] * 2)
    assert _equal(labels["mlm_logits"], [row[1:] for row in ids])
    assert _equal(weights["mlm_logits"], [[1, 1, 1, 1], [1, 1, 1, 0]])
    assert set(labels) == set(weights) == {"mlm_logits"}


def test_the_first_token_moves_to_the_end_for_permutations():
    ((inputs, labels, weights),) = permuted_batches(_batches())
    assert _equal(inputs["input_ids"], [[10, 11, 13, 3, 2], [12, 14, 3, 2, 0]])
    assert _equal(inputs["segment_ids"], [[0, 0, 1, 1, 2], [0, 1, 1, 2, 0]])
    assert _equal(inputs["masked_lm_positions"], [[0, 2], [1, 0]])
    # The replacements 25 and 20 determine the order.
    assert _equal(
        inputs["permutation_ranks"], [[2, 0, 1, 0, 0], [0, 1, 0, 0, 0]]
    )
    assert _equal(labels["mlm_logits"], [[10, 13], [14, 0]])
    assert _equal(weights["mlm_logits"], [[1, 1], [1, 0]])


def test_every_token_counts_and_no_padding():
    data = token_batches(padded_batches(_batches(), 3))
    ((inputs, labels, weights),) = data
    before = [[10, 13], [14, 0], [0, 0]]
    assert _equal(inputs["masked_lm_ids"], before)
    assert _equal(labels["mlm_logits"], before)
    assert _equal(
        weights["tokens"], [[1, 1, 1, 1, 1], [1, 1, 1, 1, 0], [0] * 5]
    )
    assert {*labels} == {"mlm_logits"}
    assert {*weights} == {"mlm_logits", "tokens"}


def test_spans_are_predicted_from_their_boundaries():
    """Spans at 2 to 4 and 6; at 1, 4 to 5 and 8 before or after a special."""
    ids = np.arange(10, 22)[None] * np.ones((3, 1), int)
    ids[0, [11]] = ids[1, [7, 10]] = _SEP_ID
    lengths = np.array([12, 11, 0])[:, None]
    inputs = {
        "input_ids": tf.constant(ids, tf.int32),
        "input_mask": tf.constant(np.arange(12) < lengths, tf.int32),
        "masked_lm_positions": [[2, 3, 4, 6], [1, 4, 5, 8], [0, 0, 0, 0]],
    }
    # In the second row [SEP] is at 7, so only 4 to 5 is inside.
    inputs["masked_lm_positions"] = tf.constant(inputs["masked_lm_positions"])
    weights = tf.constant([[1.0] * 4, [1.0] * 4, [0.0] * 4])
    batch = inputs, {"mlm_logits": ids[:, :4]}, {"mlm_logits": weights}
    dataset = tf.data.Dataset.from_tensors(batch)
    ((inputs, labels, weights),) = span_boundary_batches(dataset, 2)
    np.testing.assert_array_equal(labels["sbo_logits"], ids[:, :4])
    is_real = weights["sbo_logits"].numpy() > 0
    assert is_real.tolist() == [
        [True, True, False, True],
        [False, True, True, False],
        [False] * 4,
    ]
    boundaries = [[1, 5], [1, 5], [5, 7], [3, 6], [3, 6]]
    assert inputs["span_boundaries"].numpy()[is_real].tolist() == boundaries
    places = inputs["span_positions"].numpy()
    assert places[is_real].tolist() == [0, 1, 0, 0, 1]
    assert places.max() == 1
