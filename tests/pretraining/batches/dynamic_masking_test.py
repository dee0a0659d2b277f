import numpy as np
import pytest
import tensorflow as tf

from keras_bert.pretraining.batches.dynamic_masking import draw_numbers
from keras_bert.pretraining.batches.dynamic_masking import mask_tokens_in_graph
from keras_bert.pretraining.records.masking import choose_word_spans
from keras_bert.pretraining.records.masking_rules import MaskingRules
from tests.pretraining.records.predictions import check_predictions
from tests.pretraining.records.predictions import random_examples

_SEQ_LENGTH, _LIMIT = 64, 10
_SEED, _RANGE = 7, 2**31 - 1


@pytest.mark.parametrize("ngram", [1, 3])
@pytest.mark.parametrize("whole_words", [False, True])
def test_spans_are_taken_in_random_order_while_they_fit(whole_words, ngram):
    ids, maskable, starts = random_examples(300)
    rules = MaskingRules(0.15, _LIMIT, mask_id=3, vocab_size=900, ngram=ngram)
    outputs = mask_tokens_in_graph(
        tf.constant(ids),
        tf.constant(maskable),
        rules,
        _SEED,
        tf.constant(2, tf.int64),
        tf.constant(9, tf.int64),
        starts.astype(np.int32) if whole_words else None,
    )
    outputs = [output.numpy() for output in outputs]
    sizes = _SEQ_LENGTH, _LIMIT, _LIMIT, _SEQ_LENGTH * (ngram > 1)
    numbers = draw_numbers(300, sum(sizes), _SEED, 2, 9).numpy()
    keys, _, _, draws = np.split(-numbers, np.cumsum(sizes)[:-1], axis=1)
    begins, lengths = maskable, np.ones(keys.shape, int)
    if whole_words:
        begins = starts
    if ngram > 1:
        steps = np.int64(rules.span_length_thresholds(_RANGE))
        lengths += np.searchsorted(steps, -draws, "right")
    elif whole_words:  # The key of a word is at its number.
        number = np.maximum(np.cumsum(starts, axis=1) - 1, 0)
        keys = np.take_along_axis(keys, number, axis=1)
    wanted = np.rint((maskable.sum(axis=1) + 3) * 0.15).astype(int)
    chosen = choose_word_spans(
        keys, lengths, begins, maskable, wanted.clip(1, _LIMIT)
    )
    check_predictions(ids, outputs, chosen)


def test_numbers_depend_on_the_place_and_not_on_the_batch():
    place = {"seed": 1, "epoch": 2, "first_index": 3}
    numbers = draw_numbers(50, 4, **place).numpy()
    stay = [1577631571, 1715404623, 123323619, 1037428041]
    assert numbers[0].tolist() == stay
    alone = draw_numbers(1, 4, **{**place, "first_index": 3 + 29})
    assert alone.numpy()[0].tolist() == numbers[29].tolist()
    for change in ({"epoch": 1}, {"seed": 8}, {"first_index": 4}):
        others = draw_numbers(50, 4, **{**place, **change}).numpy()
        assert not (numbers == others).any()
    later = draw_numbers(50, 4, 1, 2**40, 3).numpy()
    assert not (numbers == later).any()
