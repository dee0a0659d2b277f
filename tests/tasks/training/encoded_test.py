import dataclasses

import numpy as np
import pytest

from keras_bert.tasks.training import encoded as encoded_module
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import ragged_rows
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.template import Template
from keras_bert.text import WordTokenizer
from keras_bert.text.preprocessor import Preprocessor

_LEFT = dataclasses.replace(Template(), padding_side="left", padding_segment=3)
_MPNET = Template("cls A sep", "cls A sep sep B sep", segments=False)
_TEXTS = [b"the dog eats meat", b"a cat", b"", b"the the the the the the"]


@pytest.fixture
def preprocess(bert):
    return Preprocessor(bert.tokenizer, bert.family.template, seq_length=6)


@pytest.mark.parametrize("template", [Template(), _LEFT, _MPNET, "words"])
@pytest.mark.parametrize("truncation", ["head", "tail", "head_tail"])
@pytest.mark.parametrize("num_columns", [1, 2])
def test_batches_have_the_ids_that_the_graph_has(
    bert, template, truncation, num_columns
):
    tokenizer = bert.tokenizer
    if template == "words":
        tokenizer, template = WordTokenizer(8), _MPNET
    preprocess = Preprocessor(tokenizer, template, 7, truncation)
    columns = [_TEXTS, _TEXTS[2:] + _TEXTS[:2]][:num_columns]
    found = [tokenized_rows(preprocess, *columns)]
    if tokenizer is bert.tokenizer:
        ids = [[x.numpy() for x in tokenizer(column)] for column in columns]
        found.append(ragged_rows(preprocess, *ids))
    indices = [3, 1, 1, 2]
    expected, truncated = preprocess.encode(
        *([column[i] for i in indices] for column in columns)
    )
    lengths = expected["input_mask"].numpy().sum(1)
    width = lengths.max()
    is_left = template.padding_side == "left"
    for rows in found:
        assert rows.lengths[indices].tolist() == lengths.tolist()
        assert rows.truncated[indices].tolist() == truncated.numpy().tolist()
        batch = rows.inputs(indices)
        assert {*batch} == {*expected}
        for name, values in expected.items():
            values = values[:, -width:] if is_left else values[:, :width]
            np.testing.assert_array_equal(batch[name], values, err_msg=name)


def test_texts_in_pieces_are_those_at_once(preprocess, monkeypatch):
    columns = _TEXTS, _TEXTS[::-1]
    whole = tokenized_rows(preprocess, *columns)
    monkeypatch.setattr(encoded_module, "_TEXTS_AT_ONCE", 3)
    pieces = tokenized_rows(preprocess, *columns)
    assert pieces.lengths.tolist() == whole.lengths.tolist()
    for name, values in whole.values.items():
        np.testing.assert_array_equal(pieces.values[name], values)


def test_cut_texts_are_counted_once(preprocess, caplog):
    """With [CLS] and two [SEP], the pairs have 7, 5, 5 and 9 tokens."""
    tokenized_rows(preprocess, _TEXTS[:3])
    assert not caplog.text
    for _ in range(2):
        tokenized_rows(preprocess, _TEXTS, [b"", b"", b"the a", b""])
    message = "2 of 4 texts (50.0 %) are longer than seq_length=6"
    assert message in caplog.text
    assert caplog.text.count("are truncated") == 1


def test_a_part_has_all_rows_of_its_answers(preprocess):
    rows = tokenized_rows(preprocess, _TEXTS)
    encoded = Encoded(rows, np.array([1, 2, 1]), decode_context=["a", "b", "c"])
    part = encoded.subset(np.array([2, 1]))
    assert part.lengths.tolist() == [6, 4, 2]
    assert part.starts.tolist() == [0, 1]
    assert part.decode_context == ["c", "b"]
    assert part.truncated.tolist() == [True, False]
    grouped = Encoded(rows, np.array([2, 2]), groups=np.arange(4).reshape(2, 2))
    assert grouped.subset(np.array([1])).groups.tolist() == [[0, 1]]


def test_a_group_of_rows_is_one_example(preprocess):
    rows = tokenized_rows(preprocess, _TEXTS)
    groups = np.array([[0, 1], [2, 1]])
    encoded = Encoded(
        rows, groups=groups, targets=np.eye(2), output="embedding"
    )
    assert len(encoded) == 2
    assert encoded.lengths.tolist() == [6, 4]
    inputs, targets, weights = encoded.batch([1, 0])
    texts = [_TEXTS[n] for n in (2, 1, 0, 1)]
    ids = inputs["input_ids"].reshape(4, 6)
    np.testing.assert_array_equal(ids, preprocess(texts)["input_ids"])
    assert targets["embedding"].argmax(1).tolist() == [1, 0]
    assert weights["embedding"].tolist() == [1.0, 1.0]
