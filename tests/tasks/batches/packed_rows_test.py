import dataclasses

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from keras_bert.tasks.batches.packed_rows import PackedRows
from keras_bert.template import Template
from keras_bert.text.preprocessor import Preprocessor

_LEFT = dataclasses.replace(Template(), padding_side="left", padding_segment=3)
_WORDS = st.sampled_from("the a red dog cats slower".split())
_TEXTS = st.lists(st.lists(_WORDS, max_size=12).map(" ".join), min_size=1)


def _chunks(preprocess, columns, size=3):
    for start in range(0, len(columns[0]), size):
        some = [column[start : start + size] for column in columns]
        yield {name: x.numpy() for name, x in preprocess(*some).items()}


@pytest.mark.parametrize("template", [Template(), _LEFT])
@pytest.mark.parametrize("is_pair", [False, True])
@settings(deadline=None, max_examples=15)
@given(data=st.data(), texts=_TEXTS)
def test_rows_are_what_the_preprocessor_gives_without_padding(
    tokenizer, template, is_pair, data, texts
):
    preprocess = Preprocessor(tokenizer, template, seq_length=9)
    columns = [texts, texts[::-1]] if is_pair else [texts]
    rows = PackedRows.from_chunks(_chunks(preprocess, columns), template, 0)
    places = st.integers(0, len(texts) - 1)
    indices = data.draw(st.lists(places, min_size=1, max_size=8))
    padded = preprocess(*([column[i] for i in indices] for column in columns))
    lengths = padded["input_mask"].numpy().sum(1)
    assert rows.lengths[indices].tolist() == lengths.tolist()
    width = lengths.max()
    found = rows.inputs(indices)
    assert {*found} == {*padded}
    for name, values in padded.items():
        values = values.numpy()
        is_left = template.padding_side == "left"
        values = values[:, -width:] if is_left else values[:, :width]
        np.testing.assert_array_equal(found[name], values, err_msg=name)


@pytest.fixture
def rows():
    values = {"input_ids": np.arange(1, 7, dtype="int32")}
    return PackedRows(values, np.array([3, 1, 2]), {"input_ids": 0})


def test_a_part_has_the_chosen_rows_in_their_order(rows):
    part = rows.part(np.array([2, 0]))
    assert len(part) == 2
    assert part.lengths.tolist() == [2, 3]
    found = part.inputs([0, 1])["input_ids"].numpy().tolist()
    assert found == [[5, 6, 0], [1, 2, 3]]
    assert rows.inputs([0])["input_ids"].numpy().tolist() == [[1, 2, 3]]


def test_more_axes_of_indices_are_more_axes_of_rows(rows):
    found = rows.inputs([[0, 1], [2, 1]])["input_ids"].numpy().tolist()
    assert found == [[[1, 2, 3], [4, 0, 0]], [[5, 6, 0], [4, 0, 0]]]


def test_values_beside_tokens_may_have_more_axes(rows):
    values = np.arange(12, dtype="float32").reshape(6, 2)
    beside = rows.with_values({"logits": values}, {"logits": -np.inf})
    data = tf.data.Dataset.from_tensors([1, 2]).map(beside.inputs)
    assert data.element_spec["logits"].shape.as_list() == [None, None, 2]
    (found,) = data.as_numpy_iterator()
    filler = [-np.inf, -np.inf]
    assert found["logits"].tolist() == [
        [[6.0, 7.0], filler],
        [[8.0, 9.0], [10.0, 11.0]],
    ]


def test_widths_are_rounded_up_to_a_multiple():
    values = {"input_ids": np.arange(1, 6, dtype="int32")}
    rows = PackedRows(
        values, np.array([3, 2]), {"input_ids": 9}, width_multiple=4
    )
    assert rows.inputs([1])["input_ids"].numpy().tolist() == [[4, 5, 9, 9]]


def test_widths_are_not_rounded_beyond_what_the_model_takes(tokenizer):
    preprocess = Preprocessor(tokenizer, Template(), seq_length=9)
    chunks = [*_chunks(preprocess, [["the dog", "a"]])]
    rows = PackedRows.from_chunks(chunks, Template(), 0, width_multiple=8)
    assert rows.inputs([1])["input_ids"].shape == (1, 8)
    rows = PackedRows.from_chunks(chunks, Template(), 0, width_multiple=32)
    assert rows.inputs([0, 1])["input_ids"].shape == (2, 9)


def test_it_works_in_a_graph(rows):
    data = tf.data.Dataset.from_tensors([1, 2]).map(rows.inputs)
    (found,) = data.as_numpy_iterator()
    assert found["input_ids"].tolist() == [[4, 0], [5, 6]]
