import itertools

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.template import BERT
from keras_bert.template import Template
from keras_bert.text.packing import pack
from keras_bert.text.packing import truncated_lengths

_IDS = {"[PAD]": 0, "[CLS]": 2, "[SEP]": 3}
_CLS, _SEP = 2, 3


def pack_bert(first, second, seq_length):
    """The values of the dict: ids, mask and segments."""
    return [*pack(BERT, first, second, seq_length, _IDS.get).values()]


def _truncate_seq_pair(first, second, budget):
    """The published loop of google-research/bert: pops from the longer."""
    first, second = list(first), list(second)
    while len(first) + len(second) > budget:
        (first if len(first) > len(second) else second).pop()
    return first, second


@pytest.mark.parametrize("budget", range(11))
def test_pairs_are_cut_as_published(budget):
    lengths = np.array(list(itertools.product(range(13), repeat=2)))
    first, second = truncated_lengths(*lengths.T.astype(np.int32), budget)
    expected = [
        tuple(map(len, _truncate_seq_pair(range(a), range(b), budget)))
        for a, b in lengths
    ]
    assert list(zip(first.numpy(), second.numpy())) == expected


def _dense(rows, width):
    """Rows of ids as `pack` wants them: dense, with their lengths."""
    ids = np.zeros((len(rows), width), np.int32)
    for index, row in enumerate(rows):
        ids[index, : len(row)] = row[:width]
    return tf.constant(ids), tf.constant([len(r) for r in rows], tf.int32)


def _padded(row, seq_length):
    return list(row) + [0] * (seq_length - len(row))


@pytest.mark.parametrize("seq_length", [3, 4, 7, 8, 30])
def test_pairs_are_packed_as_the_paper_shows(seq_length):
    lengths = list(itertools.product(range(10), repeat=2))
    firsts = [list(range(10, 10 + a)) for a, _ in lengths]
    seconds = [list(range(50, 50 + b)) for _, b in lengths]
    arguments = _dense(firsts, seq_length), _dense(seconds, seq_length)
    expected = ([], [], [])
    for first, second in zip(firsts, seconds):
        first, second = _truncate_seq_pair(first, second, seq_length - 3)
        ids = [_CLS, *first, _SEP, *second, _SEP]
        segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        for rows, row in zip(expected, (ids, [1] * len(ids), segments)):
            rows.append(_padded(row, seq_length))
    eager = pack_bert(*arguments, seq_length)
    assert {tensor.dtype for tensor in eager} == {tf.int32}
    dataset = tf.data.Dataset.from_tensors(arguments).map(
        lambda first, second: pack_bert(first, second, seq_length)
    )
    for tensors in (eager, next(iter(dataset))):
        for tensor, rows in zip(tensors, expected):
            assert tensor.numpy().tolist() == rows


@pytest.mark.parametrize("seq_length", [3, 4, 7, 20])
def test_single_texts_are_cut_at_their_end(seq_length):
    texts = [list(range(10, 10 + length)) for length in range(12)]
    arguments = _dense(texts, seq_length)
    expected = ([], [], [])
    for text in texts:
        ids = [_CLS, *text[: seq_length - 2], _SEP]
        for rows, row in zip(expected, (ids, [1] * len(ids), [])):
            rows.append(_padded(row, seq_length))
    eager = pack_bert(arguments, None, seq_length)
    assert {tensor.dtype for tensor in eager} == {tf.int32}
    dataset = tf.data.Dataset.from_tensors(arguments).map(
        lambda *first: pack_bert(first, None, seq_length)
    )
    for tensors in (eager, next(iter(dataset))):
        for tensor, rows in zip(tensors, expected):
            assert tensor.numpy().tolist() == rows


def test_what_pads_the_texts_does_not_come_through():
    ids = tf.constant([[7, 99, 99]]), tf.constant([1])
    packed, *_ = pack_bert(ids, ids, 8)
    assert packed.numpy().tolist() == [[_CLS, 7, _SEP, 7, _SEP, 0, 0, 0]]


def test_texts_may_have_other_widths():
    first, second = _dense([[7]], 1), _dense([[8, 9]], 30)
    packed, *_ = pack_bert(first, second, 8)
    assert packed.numpy().tolist() == [[_CLS, 7, _SEP, 8, 9, _SEP, 0, 0]]


def test_texts_may_have_no_width_at_all():
    empty, text = _dense([[], []], 0), _dense([[7], []], 1)
    packed, mask, segments = pack_bert(empty, text, 6)
    assert packed.numpy().tolist() == [
        [_CLS, _SEP, 7, _SEP, 0, 0],
        [_CLS, _SEP, _SEP, 0, 0, 0],
    ]
    assert mask.numpy().sum(axis=1).tolist() == [4, 3]
    assert segments.numpy().sum(axis=1).tolist() == [2, 1]
    packed, *_ = pack_bert(empty, None, 4)
    assert packed.numpy().tolist() == [[_CLS, _SEP, 0, 0]] * 2


def test_an_empty_batch_keeps_its_width():
    empty = tf.zeros([0, 5], tf.int32), tf.zeros([0], tf.int32)
    for second in (None, empty):
        for tensor in pack_bert(empty, second, 6):
            assert tensor.shape == (0, 6)


_TEXTS = tf.constant([[7, 8, 9], [6, 0, 0]]), tf.constant([3, 1])


def test_a_family_without_segments_has_two_separators():
    ids = {"<s>": 0, "<pad>": 1, "</s>": 2}
    template = Template(
        "<s> A </s>", "<s> A </s> </s> B </s>", "<pad>", segments=False
    )
    packed = pack(template, _TEXTS, _TEXTS, 9, ids.get)
    assert list(packed) == ["input_ids", "input_mask"]
    assert packed["input_ids"].numpy().tolist() == [
        [0, 7, 8, 9, 2, 2, 7, 8, 2],
        [0, 6, 2, 2, 6, 2, 1, 1, 1],
    ]
    assert template.num_special(is_pair=True) == 4
    assert template.tokens == ("<pad>", "<s>", "</s>")


def test_padding_may_stand_at_the_left_in_a_segment_of_its_own():
    ids = {"<sep>": 4, "<cls>": 3, "<pad>": 5}
    template = Template(
        "A <sep> <cls>:2",
        "A <sep> B:1 <sep>:1 <cls>:2",
        "<pad>",
        padding_side="left",
        padding_segment=3,
    )
    packed = pack(template, _TEXTS, _TEXTS, 8, ids.get)
    values = {name: value.numpy().tolist() for name, value in packed.items()}
    assert values["input_ids"] == [
        [7, 8, 9, 4, 7, 8, 4, 3],
        [5, 5, 5, 6, 4, 6, 4, 3],
    ]
    assert values["input_mask"] == [[1] * 8, [0] * 3 + [1] * 5]
    assert values["segment_ids"] == [
        [0, 0, 0, 0, 1, 1, 1, 2],
        [3, 3, 3, 0, 0, 1, 1, 2],
    ]
