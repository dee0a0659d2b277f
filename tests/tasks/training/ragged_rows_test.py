import numpy as np
import pytest

from keras_bert.tasks.training.ragged_rows import RaggedRows


@pytest.fixture
def rows():
    values = {"input_ids": np.arange(1, 7, dtype="int32")}
    return RaggedRows(values, np.array([3, 1, 2]), {"input_ids": 0})


@pytest.mark.parametrize(
    ("side", "row", "place"),
    [("right", [5, 6, 0], slice(0, 2)), ("left", [0, 5, 6], slice(1, 3))],
)
def test_a_part_has_the_chosen_rows_in_their_order(rows, side, row, place):
    rows.padding_side = side
    part = rows.subset(np.array([2, 0]))
    assert (len(part), part.lengths.tolist()) == (2, [2, 3])
    assert part.inputs([0, 1])["input_ids"].tolist() == [row, [1, 2, 3]]
    assert part.token_slice(0, 3) == place
    assert rows.inputs([0])["input_ids"].tolist() == [[1, 2, 3]]


def test_more_axes_of_indices_are_more_axes_of_rows(rows):
    found = rows.inputs([[0, 1], [2, 1]])["input_ids"].tolist()
    assert found == [[[1, 2, 3], [4, 0, 0]], [[5, 6, 0], [4, 0, 0]]]


def test_values_beside_tokens_may_have_more_axes(rows):
    values = np.arange(12, dtype="float32").reshape(6, 2)
    beside = rows.with_values({"logits": values}, {"logits": -np.inf})
    found = beside.inputs([1, 2])
    filler = [-np.inf, -np.inf]
    assert found["logits"].tolist() == [
        [[6.0, 7.0], filler],
        [[8.0, 9.0], [10.0, 11.0]],
    ]


@pytest.mark.parametrize(("multiple", "expected"), [(4, 4), (32, 5)])
def test_widths_are_rounded_up_to_what_the_model_takes(multiple, expected):
    values, lengths = {"input_ids": np.arange(1, 6)}, np.array([3, 2])
    rows = RaggedRows(
        values, lengths, {"input_ids": 9}, "right", multiple, max_width=5
    )
    ids = rows.inputs([1])["input_ids"].tolist()
    assert ids == [[4, 5] + [9] * (expected - 2)]


def test_no_rows_have_the_axes_of_rows(rows):
    assert rows.inputs([])["input_ids"].shape == (0, 0)
