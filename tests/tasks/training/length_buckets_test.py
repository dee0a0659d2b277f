import numpy as np

from keras_bert.tasks.training.length_buckets import length_buckets
from keras_bert.tasks.training.length_buckets import training_buckets


def test_buckets_hold_each_text_once_and_little_padding():
    lengths = np.random.default_rng(0).integers(2, 129, 1000)
    buckets = length_buckets(lengths, 1024)
    assert sorted(np.concatenate(buckets)) == list(range(1000))
    sizes = [lengths[bucket[0]] * len(bucket) for bucket in buckets]
    assert all(
        lengths[bucket[0]] == lengths[bucket].max() for bucket in buckets
    )
    assert max(sizes) <= 1024
    assert sum(sizes) < 1.05 * lengths.sum()


def test_a_text_beyond_the_budget_is_a_batch_of_its_own():
    buckets = length_buckets(np.array([3, 90, 70, 4]), 64)
    assert [bucket.tolist() for bucket in buckets] == [[1], [2], [3, 0]]
    assert length_buckets(np.array([], int), 64) == []


def test_batches_to_learn_from_are_of_about_one_length():
    lengths = np.random.default_rng(0).integers(2, 129, 3000)
    batches = training_buckets(lengths, 16, seed=0, epoch=0)
    assert sorted(np.concatenate(batches)) == list(range(3000))
    spread = np.mean([np.ptp(lengths[batch]) for batch in batches])
    # Without sorting in groups of 50 batches it is above 100.
    assert spread < 10


def test_batches_come_in_an_order_that_has_nothing_to_do_with_length():
    lengths = np.arange(2, 802)
    batches = training_buckets(lengths, 16, seed=0, epoch=0)
    means = [lengths[batch].mean() for batch in batches]
    assert abs(np.corrcoef(means, np.arange(len(means)))[0, 1]) < 0.4
