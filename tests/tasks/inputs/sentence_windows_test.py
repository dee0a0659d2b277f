import dataclasses
import types

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from keras_bert.tasks.inputs.word_pieces import WordPieces
from keras_bert.tasks.inputs.word_windows import Sentence
from keras_bert.tasks.inputs.word_windows import Words
from keras_bert.tasks.inputs.word_windows import at_first_pieces
from keras_bert.template import Template
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_TOKENIZER = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *"abc"]))
# Like XLNet: left padding, special tokens at the end.
_LEFT = dataclasses.replace(
    Template(),
    single="A [SEP] [CLS]:2",
    padding_side="left",
    padding_segment=3,
)
_SENTENCES = [
    WordPieces(np.array([5, 6, 7], np.int32), np.array([0, 0, 1])),
    WordPieces(np.array([], np.int32), np.array([], np.int64)),
    WordPieces(np.array([7, 7, 6, 5, 5], np.int32), np.array([0, 2, 2, 2, 3])),
]
_both_sides = pytest.mark.parametrize("layout", [Template(), _LEFT])


def _words(layout, pieces=_SENTENCES, num_words=(2, 0, 4)):
    """Return the reader, and sentences of these pieces."""
    model = types.SimpleNamespace(tokenizer=_TOKENIZER)
    reader = Words(model, layout, {"seq_length": 6, "labels": [*"OPQR"]})
    words = [["a"] * count for count in num_words]
    return reader, [*map(Sentence, pieces, words)]


def test_rows_hold_windows_between_special_tokens():
    reader, sentences = _words(Template())
    rows = reader.encode(sentences).rows
    assert rows.inputs([0, 1, 2])["input_ids"].tolist() == [
        [2, 5, 6, 7, 3, 0],
        [2, 7, 7, 6, 5, 3],
        [2, 5, 3, 0, 0, 0],
    ]


@_both_sides
def test_targets_stand_where_their_pieces_stand(layout):
    reader, sentences = _words(layout)
    examples = reader.encode(
        sentences,
        [[1, 2], [], [3, 0, 1, 2]],
        np.array([1, 1, 0.5, 1], np.float32),
    )
    assert examples.counts.tolist() == [1, 0, 2]
    inputs, targets, weights = examples.batch([0, 2, 1])
    is_word = weights["logits"] > 0
    assert inputs["input_ids"][is_word].tolist() == [5, 7, 5, 7, 7]
    found = targets["logits"].argmax(axis=-1)[is_word]
    assert found.tolist() == [1, 2, 2, 3, 1]
    assert weights["logits"][is_word].tolist() == [1, 0.5, 0.5, 1, 1]


@_both_sides
@hypothesis.settings(max_examples=25, deadline=None, derandomize=True)
@hypothesis.given(
    counts=st.lists(st.lists(st.integers(0, 7), max_size=6), max_size=4)
)
def test_what_is_put_on_words_comes_back_from_rows(layout, counts):
    pieces, values = [], []
    for row in counts:
        words = np.repeat(np.arange(len(row)), row)
        pieces.append(WordPieces(np.full(len(words), 5, np.int32), words))
        values.append(np.arange(4 * len(row), dtype=float).reshape(-1, 4))
    reader, sentences = _words(layout, pieces, [len(row) for row in counts])
    encoded = reader.encode(sentences)
    rows = at_first_pieces(encoded.rows, encoded.decode_context, values, -1)
    dropped = [0, -np.inf, -np.inf, -np.inf]
    found = reader.join(encoded, rows)
    for row, own, result in zip(counts, values, found, strict=True):
        is_seen = np.array(row)[:, np.newaxis] > 0
        np.testing.assert_array_equal(
            result, np.where(is_seen, own, dropped).reshape(-1, 4)
        )
