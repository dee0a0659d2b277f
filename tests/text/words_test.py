import numpy as np
import tensorflow as tf

from keras_bert.template import Template
from keras_bert.text import Preprocessor
from keras_bert.text import WordTokenizer
from keras_bert.text.words import spell_words
from tests.golden.make_elmo_golden import spell

_TEMPLATE = Template(pair="cls A sep cls B sep", segments=False)


def test_words_become_their_bytes_between_marks():
    words = ["", "a", "Zürich", "東京", "a\x00b", "x" * 48, "y" * 49]
    for run in (spell_words, tf.function(spell_words)):
        found = run(tf.constant(words), 50).numpy()
        assert found.dtype == np.int32
        assert found.tolist() == [spell(word, 50) for word in words]


def test_rows_have_marks_of_sentences_and_padding():
    pack = Preprocessor(WordTokenizer(8), _TEMPLATE, 5)
    texts = tf.constant(["a b c d", "e", ""])
    for run in (pack, tf.function(pack)):
        rows = run(texts)
        assert rows["input_mask"].numpy().sum(axis=1).tolist() == [5, 3, 2]
        start = [259, 257, 260, *[261] * 5]
        end = [259, 258, 260, *[261] * 5]
        a, b, c, e = (spell(word, 8) for word in "abce")
        none = [0] * 8
        assert rows["input_ids"].numpy().tolist() == [
            [start, a, b, c, end],
            [start, e, end, none, none],
            [start, end, none, none, none],
        ]


def test_the_second_text_is_a_second_sentence():
    preprocess = Preprocessor(WordTokenizer(8), _TEMPLATE, 8)
    rows = preprocess("a </S>", "c")["input_ids"].numpy()
    assert rows[:, 1].tolist() == [257, 98, 61, 258, 257, 100, 258, 0]
    # A mark that a user writes is a word.
    assert rows[2].tolist() == spell("</S>", 8)


def test_one_text_has_the_only_row():
    tokenizer = WordTokenizer(8)
    for call in (tokenizer, tokenizer.tokenize_with_offsets):
        expected = tf.nest.flatten(call(["a b"]))
        for one in ("a b", tf.constant("a b")):
            for tensor, ragged in zip(tf.nest.flatten(call(one)), expected):
                np.testing.assert_array_equal(tensor, ragged[0])
