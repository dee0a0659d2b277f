import inspect
import tracemalloc

import numpy as np
import tensorflow as tf
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.training.batches import TrainingBatches
from keras_bert.tasks.training.batches import length_buckets
from keras_bert.tasks.training.batches import training_buckets
from keras_bert.tasks.training.distinct_texts import without_duplicates


class _Examples:
    """Examples with their indices as batches."""

    def __init__(self, lengths):
        self.lengths = np.array(lengths)

    def epoch_batches(self, batch_size, seed, epoch):
        return training_buckets(self.lengths, batch_size, seed, epoch)

    def batch(self, indices):
        return indices

    def probe_batches(self):
        return [np.arange(count) for count in range(2)]


def _passes(lengths, batch_size, num_epochs, seed):
    """Return the batches of each pass, as lists of indices."""
    examples = _Examples(lengths)
    batches = TrainingBatches(examples, batch_size, num_epochs, seed)
    batches = [x.tolist() for x in batches.data().as_numpy_iterator()]
    count = -(-len(lengths) // batch_size)
    assert len(batches) == count * num_epochs
    return [batches[n * count : (n + 1) * count] for n in range(num_epochs)]


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.integers(2, 20), min_size=1, max_size=70),
    st.integers(1, 9),
    st.integers(0, 5),
)
def test_every_example_comes_once_a_pass(lengths, batch_size, seed):
    for batches in _passes(lengths, batch_size, 2, seed):
        found = sorted(index for batch in batches for index in batch)
        assert found == [*range(len(lengths))]
        sizes = sorted(len(batch) for batch in batches)
        assert sizes[1:] == [batch_size] * (len(batches) - 1)


def test_passes_have_other_batches_and_a_seed_the_same():
    lengths = [5] * 40
    one, two = _passes(lengths, 4, 2, seed=3)
    assert one != two
    assert sorted(map(sorted, one)) != sorted(map(sorted, two))
    assert _passes(lengths, 4, 2, seed=3) == [one, two]
    assert _passes(lengths, 4, 2, seed=4)[0] != one


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=2), min_size=1)
)
def test_no_text_is_in_two_examples_of_a_batch(groups):
    groups, batch_size = np.array(groups), 3
    batches = training_buckets(np.ones(len(groups)), batch_size, 0, 0)
    batches = without_duplicates(batches, groups, batch_size)
    found = sorted(index for batch in batches for index in batch.tolist())
    assert found == [*range(len(groups))]
    for batch in batches:
        texts = [text for index in batch for text in {*groups[index]}]
        assert len(texts) == len({*texts})
        assert len(batch) <= batch_size


def test_epochs_have_the_same_number_of_batches():
    class _Growing(_Examples):
        def epoch_batches(self, batch_size, seed, epoch):
            return np.array_split(np.arange(8), 2 + 3 * epoch)

    batches = TrainingBatches(_Growing([]), 4, 2, 0)
    assert batches.steps == 5
    for numbers in range(5), range(5, 10):
        epoch = np.concatenate([batches[number] for number in numbers])
        assert epoch.tolist() == [*range(8)]


def test_batches_are_the_same_in_any_order():
    batches = TrainingBatches(_Examples([3] * 7), 2, 3, 0, steps=5)
    expected = [batches[number].tolist() for number in range(15)]
    order = [14, 3, 3, 9, 0, 10]
    assert [batches[n].tolist() for n in order] == [expected[n] for n in order]
    data = batches.data(first_epoch=2)
    assert [x.tolist() for x in data.as_numpy_iterator()] == expected[10:]
    data = batches.data(first_epoch=3)
    assert [x.tolist() for x in data.as_numpy_iterator()] == expected[10:]


def test_memory_does_not_grow_with_the_epochs():
    num_epochs = 2_000
    tracemalloc.start()
    batches = TrainingBatches(_Examples([3] * 100), 2, num_epochs, 0)
    assert len(batches[batches.steps * num_epochs - 1]) == 2
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100_000


def test_other_backends_get_the_same_batches(monkeypatch):
    expected = sum(_passes([3, 4, 5, 2, 6], 2, 2, seed=1), [])
    monkeypatch.setattr("keras.backend.backend", lambda: "jax")
    examples = _Examples([3, 4, 5, 2, 6])
    batches = TrainingBatches(examples, 2, 2, 1)
    found = batches.data()
    assert inspect.isgenerator(found)  # The type that Keras accepts.
    assert [x.tolist() for x in found] == expected


def test_batches_may_have_any_number_of_examples():
    batches = TrainingBatches(_Examples([3, 4, 5]), 2, 1, 0)
    assert batches.data().element_spec == tf.TensorSpec([None], tf.int64)


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
