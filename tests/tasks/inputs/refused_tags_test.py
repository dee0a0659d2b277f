"""Words and tags that are refused."""

import pytest

from keras_bert.tasks.inputs.sentences import as_sentences
from keras_bert.tasks.inputs.sentences import as_tags
from keras_bert.tasks.inputs.sentences import tag_names
from keras_bert.tasks.inputs.sentences import tagged_words
from keras_bert.tasks.inputs.word_pieces import find_words
from keras_bert.tasks.inputs.word_pieces import tokenize_words
from keras_bert.tasks.inputs.word_windows import split_into_windows
from keras_bert.tasks.outputs.entity_scores import entity_scores
from keras_bert.tasks.outputs.entity_scores import tag_accuracy
from tests import tiny

_TWO = [["a", "b"], ["c"]]
_TAGS = [["O"], ["O"]]


@pytest.mark.parametrize(
    ("call", "arguments", "message"),
    [
        (as_sentences, ["a b"], "`sentences` must be .*list. .*: 'a b'"),
        (as_sentences, [{"tokens": [["a"]]}], "keys 'tokens'"),
        (
            as_sentences,
            [[["a"], ["b", 3.0]]],
            r"\(str\)\. .*: 3.0 at index 1, 1",
        ),
        (
            as_sentences,
            [[["a"], "a b"]],
            "lists of words, .*: 'a b' at index 1",
        ),
        (as_sentences, [[["a", b"\xe9"]]], "UTF-8 text.*at index 0"),
        (as_sentences, [[{"a", "b"}]], "lists of words.*at index 0"),
        (tagged_words, [_TWO], "must be given.*rows with the keys `words`"),
        (tagged_words, [[{"words": ["a"]}]], "'words' and 'tags'.*'ner_tags'"),
        (tagged_words, [[]], "must be given"),
        (tagged_words, [_TWO, ["O", "O"]], "`tags` must .*: 'O' at index 0"),
        (
            tagged_words,
            [_TWO, [["O"] * 2]],
            "a list for each sentence.*1 lists",
        ),
        (
            tagged_words,
            [_TWO, [["O", "O"], []]],
            "each word.*0 tags for 1 words at index 1",
        ),
        (
            as_tags,
            [[[0], [3]], ["O", "B", "I"]],
            "index 1: .*O, B.*3 at index 0",
        ),
        (tag_names, [[["B-X"]], [["NOUN"]]], "all plain.*Received: 'NOUN'"),
        (tag_names, [["B-X"]], "lists of tags.*'B-X' at index 0"),
        (tag_names, [[["S-X"], ["I-X"]]], "BIOES.*'I-X' after the beginning"),
        (tag_accuracy, [[[]], [[]]], "`tags` must contain words"),
        (tag_accuracy, [_TAGS, [["O"]]], "each sentence.*1 lists for 2"),
        (entity_scores, [_TAGS, [["O"], ["O", "O"]]], "2 tags for 1 words"),
        (entity_scores, [[["O", "S-A"]], [["O", "O"]]], "IOB2.*word 1.*'S-A'"),
        (entity_scores, [_TAGS, [["O"], ["S-A"]]], "'S-A' at index 1"),
        (entity_scores, [_TAGS, [["O"], ["I-"]]], "'I-' at index 1"),
        (entity_scores, [_TAGS, [["O"], [""]]], "'' at index 1"),
        (split_into_windows, [[], 0], "Received: room=0"),
    ],
)
def test_refused(message, call, arguments):
    with pytest.raises(ValueError, match=message):
        call(*arguments)


def test_half_a_surrogate_pair_is_named():
    tokenizer = tiny.make_bert().tokenizer
    for call, texts in (
        (tokenize_words, [["a"], ["b", "\ud800"]]),
        (find_words, ["a", "\ud800"]),
    ):
        with pytest.raises(ValueError, match=r"'\\ud800', .* at index 1"):
            call(tokenizer, texts)
