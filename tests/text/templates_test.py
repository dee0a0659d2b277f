import itertools

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.template import Template
from keras_bert.text.templates import Layout
from keras_bert.text.wordpiece.vocabulary import ROLES

_IDS = {"[PAD]": 0, "[CLS]": 2, "[SEP]": 3}
_CLS, _SEP = 2, 3
_TEMPLATE = Template().with_tokens(ROLES)


def _pack(texts, seq_length, template=_TEMPLATE, ids=_IDS, truncation="head"):
    """Return padded ids, mask and segments; check that rows have them too."""
    layout = Layout(tf, template, texts, seq_length, truncation)
    table = [[ids[token] for token in template.tokens]]
    table = tf.concat([*table, *(text.flat_values for text in texts)], 0)

    def values(cells):
        return [tf.gather(table, cells.indices), cells.mask, cells.segments]

    padded = values(layout.padded())
    if tf.executing_eagerly():
        mask = padded[1].numpy() == 1
        assert layout.lengths.numpy().tolist() == mask.sum(axis=1).tolist()
        for flat, rows in zip(values(layout.flat()), padded, strict=True):
            assert flat.numpy().tolist() == rows.numpy()[mask].tolist()
    return padded


def _truncate_seq_pair(first, second, budget):
    """Truncate like google-research/bert: pop from the longer sequence."""
    first, second = list(first), list(second)
    while len(first) + len(second) > budget:
        (first if len(first) > len(second) else second).pop()
    return first, second


def _ragged(rows):
    return tf.RaggedTensor.from_row_lengths(
        np.concatenate([[], *rows]).astype(np.int32), [len(r) for r in rows]
    )


def _padded(row, seq_length):
    return list(row) + [0] * (seq_length - len(row))


@pytest.mark.parametrize("seq_length", [3, 4, 7, 10, 13, 30])
def test_pairs_are_laid_out_as_the_paper_shows(seq_length):
    lengths = list(itertools.product(range(13), repeat=2))
    firsts = [list(range(10, 10 + a)) for a, _ in lengths]
    seconds = [list(range(50, 50 + b)) for _, b in lengths]
    arguments = _ragged(firsts), _ragged(seconds)
    expected = ([], [], [])
    for first, second in zip(firsts, seconds):
        first, second = _truncate_seq_pair(first, second, seq_length - 3)
        ids = [_CLS, *first, _SEP, *second, _SEP]
        segments = [0] * (len(first) + 2) + [1] * (len(second) + 1)
        for rows, row in zip(expected, (ids, [1] * len(ids), segments)):
            rows.append(_padded(row, seq_length))
    eager = _pack(arguments, seq_length)
    assert {tensor.dtype for tensor in eager} == {tf.int32}
    dataset = tf.data.Dataset.from_tensors(arguments).map(
        lambda *texts: _pack(texts, seq_length)
    )
    for tensors in (eager, next(iter(dataset))):
        for tensor, rows in zip(tensors, expected):
            assert tensor.numpy().tolist() == rows


@pytest.mark.parametrize("seq_length", [3, 6, 7, 20])
@pytest.mark.parametrize("truncation", ["head", "tail", "head_tail"])
def test_a_part_of_a_long_text_is_kept(truncation, seq_length):
    texts = [list(range(10, 10 + length)) for length in range(12)]
    budget, expected = seq_length - 2, ([], [], [])
    heads = {"head": budget, "tail": 0, "head_tail": (budget + 1) // 2}
    for text in texts:
        if len(text) > budget:
            head = heads[truncation]
            text = text[:head] + text[len(text) - (budget - head) :]
        ids = [_CLS, *text, _SEP]
        for rows, row in zip(expected, (ids, [1] * len(ids), [])):
            rows.append(_padded(row, seq_length))
    packed = _pack([_ragged(texts)], seq_length, truncation=truncation)
    for tensor, rows in zip(packed, expected):
        assert tensor.numpy().tolist() == rows


def test_the_tail_of_each_of_a_pair_may_be_kept():
    first, second = _ragged([range(10, 15)]), _ragged([[50, 51]])
    packed, *_ = _pack([first, second], 8, truncation="tail")
    assert packed.numpy().tolist() == [[_CLS, 12, 13, 14, _SEP, 50, 51, _SEP]]


def test_an_empty_batch_keeps_its_width():
    empty = _ragged([])
    for texts in ([empty], [empty, empty]):
        for tensor in _pack(texts, 6):
            assert tensor.shape == (0, 6)


_TEXTS = tf.ragged.constant([[7, 8, 9], [6]], dtype=tf.int32)


def test_a_pair_may_have_two_separators():
    ids = {"<s>": 0, "<pad>": 1, "</s>": 2}
    template = Template(
        "<s> A </s>", "<s> A </s> </s> B </s>", "<pad>", segments=False
    )
    packed, *_ = _pack([_TEXTS, _TEXTS], 9, template, ids)
    assert packed.numpy().tolist() == [
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
    packed = _pack([_TEXTS, _TEXTS], 8, template, ids)
    input_ids, mask, segments = (values.numpy().tolist() for values in packed)
    assert input_ids == [[7, 8, 9, 4, 7, 8, 4, 3], [5, 5, 5, 6, 4, 6, 4, 3]]
    assert mask == [[1] * 8, [0] * 3 + [1] * 5]
    assert segments == [[0, 0, 0, 0, 1, 1, 1, 2], [3, 3, 3, 0, 0, 1, 1, 2]]
