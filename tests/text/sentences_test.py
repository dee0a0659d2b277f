import random

import pytest

from keras_bert.text.sentences import split_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["It rains.", "Does it?", "It does!", "Well…", "Yes"],
        ["Mr. and Mrs. Grey met Dr. Hall.", "St. Ives won."],
        ["'Mrs. Elsmere does not know?'", "“Mr. Bo is ill.”"],
        ["Use a type, e.g. Python's, i.e. Float.", "So it is."],
        # Initials, and letters before a common opener.
        ["By J. R. R. Tolkien and M. A. Saunders.", "He wrote."],
        ["It is due to S.-C. Choi.", "The U.S. Army used it."],
        ["Take the rank of A.", "The rest is zero."],
        ["So am I.", "Let us go at 5 p.m.", "They wait."],
        ["It compares on x.", "Others are ignored."],
        # Numbers.
        ["It costs 3.50 in version 2.1.0.", "See Fig. 3."],
        ["It is No. 5 in Sec. IV.", "No.", "It is in 0 .. 10."],
        # Closing quotes and brackets stay with their sentence.
        ["“Go!”", "He went.", "‘Why?’", "(None knew.)", "All did."],
        ['"Hush!" said the man, "I hear."', '"What?" he said.'],
        ["I wait... and wait...", "Then I go."],
        # Code and list markers.
        ["It is a shape.", "`x` is one.", "st_input is not."],
        ["1. First do this.", "Then that."],
    ],
)
def test_sentences_end_where_a_reader_ends_them(sentences):
    assert split_sentences(" ".join(sentences)) == sentences


def test_white_space_becomes_one_space():
    text = "  One\n two.\t\u00a0Three.\n"
    assert split_sentences(text) == ["One two.", "Three."]
    assert split_sentences(" \n") == []


def test_nothing_is_lost_or_added():
    generator = random.Random(1)
    for _ in range(2000):
        text = "".join(generator.choices("aZé I.!?…\"'”)`(1_- \n", k=40))
        result = split_sentences(text)
        assert " ".join(result) == " ".join(text.split())
        assert all(result), text
