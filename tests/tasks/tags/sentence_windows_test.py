import dataclasses

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from keras_bert.tasks.tags.word_pieces import WordPieces
from keras_bert.tasks.tags.word_windows import IGNORED
from keras_bert.tasks.tags.word_windows import Sentences
from keras_bert.template import Template
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

_TOKENIZER = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *"abc"]))
# As of XLNet: padding in front, the special tokens behind.
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


def _windows(layout, pieces=_SENTENCES, num_words=(2, 0, 4)):
    words = [["a"] * count for count in num_words]
    return Sentences(Preprocessor(_TOKENIZER, layout, 6), pieces, words)


def test_rows_hold_windows_between_special_tokens():
    rows = _windows(Template()).rows
    assert rows.inputs([0, 1, 2])["input_ids"].numpy().tolist() == [
        [2, 5, 6, 7, 3, 0],
        [2, 7, 7, 6, 5, 3],
        [2, 5, 3, 0, 0, 0],
    ]


def test_only_first_pieces_have_labels():
    places = [[1, 2], [], [3, 4, 5, 6]]
    labels = (
        _windows(Template()).tagged(places, np.ones(7)).decode_context.labels
    )
    ignored = IGNORED
    assert [row.tolist() for row in labels] == [
        [ignored, 1, ignored, 2, ignored],
        [ignored, 3, 5, ignored, ignored, ignored],
        [ignored, 6, ignored],
    ]
    assert {row.dtype for row in labels} == {np.dtype(np.int32)}


@_both_sides
def test_targets_stand_where_their_pieces_stand(layout):
    places = [[1, 2], [], [3, 0, 1, 2]]
    examples = _windows(layout).tagged(
        places, np.array([1, 1, 0.5, 1], np.float32)
    )
    inputs, targets, weights = examples.batch([0, 2, 1])
    is_word = weights["logits"].numpy() > 0
    assert inputs["input_ids"].numpy()[is_word].tolist() == [5, 7, 5, 7, 7]
    found = targets["logits"].numpy().argmax(axis=-1)[is_word]
    assert found.tolist() == [1, 2, 2, 3, 1]
    assert weights["logits"].numpy()[is_word].tolist() == [1, 0.5, 0.5, 1, 1]


@_both_sides
@hypothesis.settings(max_examples=25, deadline=None, derandomize=True)
@hypothesis.given(
    counts=st.lists(st.lists(st.integers(0, 7), max_size=6), max_size=4)
)
def test_what_is_put_on_words_comes_back_from_rows(layout, counts):
    sentences, places = [], []
    for row in counts:
        words = np.repeat(np.arange(len(row)), row)
        sentences.append(WordPieces(np.full(len(words), 5, np.int32), words))
        places.append([*range(len(row))])
    windows = _windows(layout, sentences, [len(row) for row in counts])
    labels = windows.tagged(places, np.ones(6)).decode_context.labels
    assert windows.of_words(labels, "none") == [
        [place if count else "none" for place, count in enumerate(row)]
        for row in counts
    ]
