import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.batches.fine_tuning import num_batches
from keras_bert.tasks.batches.fine_tuning import training_dataset


class _Examples:
    """Examples with their indices as batches."""

    def __init__(self, lengths):
        self.lengths = np.array(lengths)

    def batch(self, indices):
        return indices


def _passes(lengths, batch_size, num_epochs, seed):
    """Return the batches of each pass, as lists of indices."""
    data = training_dataset(_Examples(lengths), batch_size, num_epochs, seed)
    batches = [x.tolist() for x in data.as_numpy_iterator()]
    count = num_batches(len(lengths), batch_size)
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


@pytest.mark.parametrize(
    ("examples", "size", "expected"), [(8, 4, 2), (9, 4, 3), (1, 4, 1)]
)
def test_the_last_batch_may_be_smaller(examples, size, expected):
    assert num_batches(examples, size) == expected


def test_elements_are_tensors_of_one_axis():
    data = training_dataset(_Examples([3, 4, 5]), 2, 1, 0)
    assert data.element_spec == tf.TensorSpec([None], tf.int64)
