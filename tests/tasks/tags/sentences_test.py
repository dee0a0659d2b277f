import types

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.tasks.tags.sentences import as_sentences
from keras_bert.tasks.tags.sentences import as_tags
from keras_bert.tasks.tags.sentences import tagged_words


@pytest.mark.parametrize(
    "sentences",
    [
        (("a", "b"), ["c", "d"]),
        np.array([["a", "b"], ["c", "d"]]),
        [np.array(["a", "b"]), ("c", "d")],
        tf.constant([["a", "b"], ["c", "d"]]),
        tf.ragged.constant([["a", "b"], ["c", "d"]]),
        types.SimpleNamespace(tolist=lambda: [["a", "b"], ["c", "d"]]),
    ],
    ids=range(6),
)
def test_words_of_any_container_are_lists(sentences):
    assert as_sentences(sentences) == [["a", "b"], ["c", "d"]]


@pytest.mark.parametrize(
    "rows",
    [
        [{"words": ["a", "b"], "tags": ["O", "B-X"]}],
        {"tokens": [["a", "b"]], "ner_tags": [[0, 1]]},
        [{"tokens": np.array([b"a", b"b"]), "tags": np.array([0, 1])}],
        [(["a", "b"], ["O", "B-X"])],
    ],
    ids=range(4),
)
def test_rows_and_columns_hold_words_and_tags(rows):
    words, tags, _ = tagged_words(rows, names=["O", "B-X", "I-X"])
    assert [*map(list, words)] == [["a", "b"]]
    assert [*map(list, tags)] == [["O", "B-X"]]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "b"]], "must be given.*rows with the keys `words` and `tags`"),
        ([{"words": ["a"]}], "'words' and 'tags'.*'tokens' and 'ner_tags'"),
        ([], "must be given"),
    ],
)
def test_sentences_without_tags_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        tagged_words(rows)


def test_tags_may_be_indices():
    names = ["O", "B-X", "I-X"]
    for tags in ([[0, 1], [2]], [["O", "B-X"], [np.int64(2)]]):
        assert as_tags(tags, names) == [["O", "B-X"], ["I-X"]]
    assert as_tags([["S-X"]], names) == [["S-X"]]
    with pytest.raises(ValueError, match="index 1: .*O, B-X.*3 at index 0"):
        as_tags([[0], [3]], names)


@pytest.mark.parametrize(
    "sentences, message",
    [
        ("a b", "list. Received: 'a b'"),
        (None, "list. Received: None"),
        ({"tokens": [["a"]]}, "keys 'tokens'"),
        ([["a", 1]], r"\(str\)\. Received: 1 at index 0, 1"),
        ([["a"], "a b"], "lists of words, .*Received: 'a b' at index 1"),
        ([["a"], ["b", 3.0]], r"\(str\)\. Received: 3.0 at index 1, 1"),
        ([["a", b"\xe9"]], r"UTF-8 text.*at index 0"),
        ([{"a", "b"}], "lists of words.*at index 0"),
    ],
)
def test_what_is_no_sentence_is_named(sentences, message):
    with pytest.raises(ValueError, match=f"`sentences` must be .*{message}"):
        as_sentences(sentences)


@pytest.mark.parametrize(
    "tags, message",
    [
        ("O", "list. Received: 'O'"),
        (["O", "O"], "list of lists of tags, .*Received: 'O' at index 0"),
        ([["O", 1], ["O"]], r"\(str\)\. Received: 1 at index 0, 1"),
        ([["O", "O"]], "a list for each sentence. Received: 1 lists for 2"),
        (
            [["O", "O"], []],
            "a tag for each word.*0 tags for 1 words at index 1",
        ),
    ],
)
def test_each_word_must_have_a_tag(tags, message):
    with pytest.raises(ValueError, match=f"`tags` must .*{message}"):
        tagged_words([["a", "b"], ["c"]], tags)
