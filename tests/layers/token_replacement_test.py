import numpy as np
import pytest
import tensorflow as tf

from keras_bert.layers import TokenReplacement

_VOCAB_SIZE, _MASK = 12, 1


def _examples(num=400, seq_length=20, num_predictions=5):
    """Return masked texts and the originals."""
    rng = np.random.default_rng(0)
    shape = num, num_predictions
    originals = rng.integers(2, _VOCAB_SIZE, (num, seq_length), np.int32)
    order = rng.permuted(np.tile(np.arange(1, seq_length), (num, 1)), axis=1)
    is_real = np.arange(num_predictions) < rng.integers(
        1, shape[1] + 1, (num, 1)
    )
    positions = np.where(is_real, np.sort(order[:, : shape[1]]), 0)
    labels = np.take_along_axis(originals, positions, axis=1) * is_real
    is_masked = np.zeros(originals.shape, bool)
    np.put_along_axis(is_masked, positions, True, axis=1)
    is_masked[:, 0] = False
    inputs = {
        "input_ids": np.where(is_masked, _MASK, originals).astype(np.int32),
        "masked_lm_positions": positions.astype(np.int32),
        "masked_lm_ids": labels.astype(np.int32),
        "mlm_logits": rng.normal(size=(*shape, _VOCAB_SIZE)).astype("float32"),
    }
    return inputs, originals, is_masked


@pytest.mark.parametrize("training", [True, False])
def test_only_masked_tokens_are_replaced_and_an_original_is_none(training):
    inputs, originals, is_masked = _examples()
    ids, is_replaced = TokenReplacement(1)(**inputs, training=training)
    ids, is_replaced = np.asarray(ids), np.asarray(is_replaced)
    np.testing.assert_array_equal(ids[~is_masked], originals[~is_masked])
    np.testing.assert_array_equal(is_replaced, ids != originals)
    assert ids.dtype == is_replaced.dtype == np.int32
    assert 0 < is_replaced.sum() < is_masked.sum()


def test_words_are_drawn_with_their_probabilities():
    logits = np.random.default_rng(1).normal(size=_VOCAB_SIZE)
    count = 40_000
    ids, _ = TokenReplacement(1)(
        np.zeros((count, 2), np.int32),
        np.ones((count, 1), np.int32),
        np.zeros((count, 1), np.int32),
        np.broadcast_to(logits, (count, 1, _VOCAB_SIZE)).astype(np.float32),
        training=True,
    )
    found = np.bincount(np.asarray(ids)[:, 1], minlength=_VOCAB_SIZE) / count
    expected = np.exp(logits) / np.exp(logits).sum()
    error = 5 * np.sqrt(expected * (1 - expected) / count)
    assert np.all(np.abs(found - expected) < error)


def test_calls_differ_in_training_only_and_seeds_repeat():
    inputs, *_ = _examples()
    layer, again = TokenReplacement(7), TokenReplacement(7)

    def draw(layer, training=True):
        return np.asarray(layer(**inputs, training=training)[0])

    first, second = draw(layer), draw(layer)
    assert np.any(first != second)
    np.testing.assert_array_equal(first, draw(again))
    state = [x.numpy() for x in layer.variables]
    np.testing.assert_array_equal(draw(layer, False), draw(layer, False))
    np.testing.assert_array_equal(state, [x.numpy() for x in layer.variables])


def test_no_gradient_flows_through_the_draw():
    inputs, *_ = _examples()
    table = tf.Variable(np.eye(_VOCAB_SIZE, dtype=np.float32))
    logits = tf.Variable(inputs.pop("mlm_logits"))
    with tf.GradientTape() as tape:
        ids, is_replaced = TokenReplacement(1)(
            **inputs, mlm_logits=logits, training=True
        )
        loss = tf.reduce_sum(tf.gather(table, ids) ** 2)
        loss += tf.reduce_sum(tf.cast(is_replaced, tf.float32))
    assert tape.gradient(loss, logits) is None


def test_a_config_keeps_name_and_seed():
    layer = TokenReplacement(3, name="named")
    again = TokenReplacement.from_config(layer.get_config())
    assert (again.name, again.seed, again.weights) == ("named", 3, [])


def test_xla_compiles_it():
    inputs, originals, _ = _examples(8)
    layer = TokenReplacement(1)
    ids, is_replaced = tf.function(
        lambda: layer(**inputs, training=True), jit_compile=True
    )()
    np.testing.assert_array_equal(is_replaced, ids.numpy() != originals)
