import numpy as np

from keras_bert.tasks.batches.packed_rows import PackedRows
from keras_bert.tasks.features.stored_states import with_states
from keras_bert.tasks.fine_tuning.encoded import Encoded

_LENGTHS = np.array([3, 1, 2])
_STATES = np.arange(6 * 2 * 4).reshape(6, 2, 4).astype("float16")


def _rows(padding_side="right"):
    ids = np.arange(6, dtype="int32")
    return PackedRows(
        {"input_ids": ids}, _LENGTHS, {"input_ids": 0}, padding_side
    )


def _states(padding_side="right"):
    return with_states(Encoded(_rows(padding_side)), _STATES).rows


def test_each_token_has_its_own_states():
    inputs = _states().inputs([2, 0])
    assert inputs["input_mask"].tolist() == [[1, 1, 0], [1, 1, 1]]
    states = inputs["states"]
    np.testing.assert_array_equal(states[0, :2], _STATES[4:])
    np.testing.assert_array_equal(states[0, 2], 0)
    np.testing.assert_array_equal(states[1], _STATES[:3])


def test_padding_is_where_that_of_the_ids_is():
    rows = _states("left")
    inputs = rows.inputs([1, 2])
    assert inputs["input_mask"].tolist() == [[0, 1], [1, 1]]
    np.testing.assert_array_equal(inputs["states"][0, 1], _STATES[3])
    assert rows.place(1, 2) == slice(1, 2)


def test_a_part_has_the_states_of_its_rows():
    part = _states().part(np.array([2]))
    assert (len(part), part.lengths.tolist()) == (1, [2])
    states = part.inputs([0])["states"]
    np.testing.assert_array_equal(states[0], _STATES[4:])


def test_examples_keep_their_targets():
    targets = np.array([1, 2, 0, 2, 1, 0])
    examples = Encoded(
        _rows(),
        targets=targets,
        weights=np.ones(6, "float32"),
        num_labels=3,
    )
    before = examples.batch([0, 2])
    inputs, *after = with_states(examples, _STATES).batch([0, 2])
    assert {*inputs} == {"states", "input_mask"}
    for one, two in zip(before[1:], after):
        np.testing.assert_array_equal(one["logits"], two["logits"])
