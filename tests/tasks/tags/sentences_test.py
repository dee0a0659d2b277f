import pytest

from keras_bert.tasks.tags.sentences import check_sentences
from keras_bert.tasks.tags.sentences import check_tags


def test_lists_and_tuples_of_words_are_sentences():
    sentences = (("a", "b"), ["c"], [])
    check_sentences(sentences)
    check_tags([["O", "O"], ("O",), ()], sentences)


@pytest.mark.parametrize(
    "sentences, message",
    [
        ("a b", "lists of words. Received: 'a b'"),
        (None, "lists of words. Received: None"),
        ([["a"], "a b"], "lists of words. Received: 'a b' at index 1"),
        ([["a"], ["b", 3.0]], "each a str. Received: 3.0 at index 1, 1"),
        ([["a", b"b"]], "each a str. Received: b'b' at index 0, 1"),
    ],
)
def test_what_is_no_sentence_is_named(sentences, message):
    with pytest.raises(ValueError, match=f"`sentences` must be .*{message}"):
        check_sentences(sentences)


@pytest.mark.parametrize(
    "tags, message",
    [
        ("O", "list of lists of tags. Received: 'O'"),
        ([["O", 1], ["O"]], "each a str. Received: 1 at index 0, 1"),
        ([["O", "O"]], "a list for each sentence. Received: 1 for 2"),
        ([["O", "O"], []], "a tag for each word. Received: 0 for 1 at index 1"),
    ],
)
def test_each_word_must_have_a_tag(tags, message):
    with pytest.raises(ValueError, match=f"`tags` must .*{message}"):
        check_tags(tags, [["a", "b"], ["c"]])
