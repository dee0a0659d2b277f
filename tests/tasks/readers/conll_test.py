import functools

import pytest

from keras_bert.tasks.readers.conll import TaggedSentences
from keras_bert.tasks.readers.conll import conll_text
from keras_bert.tasks.readers.conll import read_conll
from keras_bert.tasks.readers.conll import read_words

_TABS = "EU\tB-ORG\nrejects\tO\n\nPeter\tB-PER\nBlackburn\tI-PER\n"
_WORDS = (("EU", "rejects"), ("Peter", "Blackburn"))
_TAGS = (("B-ORG", "O"), ("B-PER", "I-PER"))


@pytest.fixture
def write(write):
    """Write a CoNLL file and return its path."""
    return functools.partial(write, "train.conll")


def test_sentences_end_at_blank_lines(write):
    path = write(_TABS)
    assert read_conll(path) == TaggedSentences(
        path, _WORDS, _TAGS, ((1, 2), (4, 5))
    )


@pytest.mark.parametrize(
    "content",
    [
        _TABS.replace("\t", " "),
        _TABS.replace("\n", "\r\n"),
        "\ufeff" + _TABS,
        _TABS.replace("\n\n", "\n\t\n"),
        "\n\n" + _TABS + "\n\n",
        "-DOCSTART- -X- O O\n\n" + _TABS,
        _TABS.replace("\n\n", "\n-DOCSTART- O\n"),
        _TABS.replace("\n", " \n"),
    ],
)
def test_files_of_many_forms_hold_the_same(write, content):
    data = read_conll(write(content))
    assert (data.words, data.tags) == (_WORDS, _TAGS)


@pytest.mark.parametrize(
    "comments",
    [
        "# id 52 domain=en\n",
        "# id 5239d808-f300-46ea\tdomain=en\n",
        "#\thttp://de.wikipedia.org/wiki/Mai\t[2010-03-05]\n",
        "# text = a  b \n# newdoc\n",
        "#newdoc\n",
        "#\n\n",
    ],
)
@pytest.mark.parametrize("gap", ["\t", " "])
def test_comments_above_sentences_are_skipped(write, comments, gap):
    rows = ["a _ O B-X", "# _ O O", "", "b _ O O", "#tag _ O B-X", ""]
    rows = "\n".join(rows).replace(" ", gap)
    first, second = rows.split("\n\n")
    data = read_conll(write(f"{comments}{first}\n\n{comments}{second}"))
    assert data.words == (("a", "#"), ("b", "#tag"))
    assert data.tags == (("B-X", "O"), ("O", "B-X"))
    number = comments.count("\n")
    assert data.lines[0] == (1 + number, 2 + number)


@pytest.mark.parametrize("gap", ["\t", " "])
def test_words_may_begin_with_the_sign_of_comments(write, gap):
    content = "# O\na B-X\n\n#tag B-Y\nb O\n\n# B-X\n"
    data = read_conll(write(content.replace(" ", gap)))
    assert data.words == (("#", "a"), ("#tag", "b"), ("#",))
    assert read_words(write("#\na\n\n#b\n")) == [(1, ["#", "a"]), (4, ["#b"])]
    assert read_words(write("# c\na\n")) == [(2, ["a"])]


def test_only_tabs_and_spaces_divide(write):
    words = ("\u00a0", "a\u3000b", "\u2028", "\x85", "\ufe0f", "\ufeff", "#")
    data = read_conll(write("".join(f"{word}\tO\n" for word in words)))
    assert data.words == (words,)
    data = read_conll(write("New York\tB-LOC\n"))
    assert data.words == (("New York",),)


def test_empty_columns_count_between_tabs(write):
    data = read_conll(write("a\t\tO\nb\tX\tO\n"))
    assert data.tags == (("O", "O"),)


@pytest.mark.parametrize(
    "content, columns, message",
    [
        ("a\nb\n", {}, "conll, line 1, must have a word and.* one column"),
        ("a\tO\nb\n", {}, "line 2, .* like line 1.* 1 columns in 'b'"),
        ("\na N O\n\nb O\n", {}, "line 4, .* like line 2.* 2 .* 'b O'"),
        ("", {}, "must contain lines with a word .* has none"),
        ("# a b\n\n# c\n", {}, "must contain lines with a word .* has none"),
        (
            "a\tO\tx\nb\t\tx\n",
            {"tag_column": 1},
            r"line 2, .* tag in column 1.*'b\\t",
        ),
        ("a O\n", {"tag_column": 2}, "from -2 to 1.*: tag_column=2"),
        ("a O\n", {"word_column": -3}, "train.conll, .*: word_column=-3"),
        ("a O\n", {"word_column": 1}, "words, 1. Received: tag_column=-1"),
        ("a O\n", {"on_stray_tag": "drop"}, "error, repair.*: .*'drop'"),
    ],
)
def test_bad_files_and_arguments_are_named(write, content, columns, message):
    with pytest.raises(ValueError, match=message):
        read_conll(write(content), **columns)


def test_what_is_written_is_read(write):
    data = read_conll(write(conll_text(_WORDS, _TAGS)))
    assert (data.words, data.tags) == (_WORDS, _TAGS)
    text = conll_text([["a", "b"]], [["X", "Y"]], [["X", "X"]])
    assert text == "a\tX\tX\nb\tY\tX\n\n"


_SWAPPED = {"word_column": 1, "tag_column": 0}
_CONLLU = """# sent_id = 1
# text = Don't go
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\tVB\t_\t3\taux\t_\t_
2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_
3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
3.1\tgone\tgo\tVERB\tVB\t_\t_\t_\t_\t_

# sent_id = 2
1\t#\t#\tSYM\t_\t_\t0\troot\t_\t_
"""


@pytest.mark.parametrize(
    "content, columns, words, tags",
    [
        (_CONLLU, {}, ("Do", "n't", "go"), ("AUX", "PART", "VERB")),
        (_CONLLU, {"tag_column": 4}, ("Do", "n't", "go"), ("VB", "RB", "VB")),
        ("0\tEU\tB-ORG\n1\tis\tO\n\n0\tso\tO\n", {}, ("EU", "is"), _TAGS[0]),
        ("1 EU B-ORG\n2 is O\n", {}, ("EU", "is"), _TAGS[0]),
        ("1\tB-ORG\n2\tO\n", {}, ("1", "2"), _TAGS[0]),
        ("7 EU B-ORG\n8 is O\n", {}, ("7", "8"), _TAGS[0]),
        ("1 EU B-ORG\n2 is O\n", {"word_column": 0}, ("1", "2"), _TAGS[0]),
        ("B-ORG EU\nO is\n", _SWAPPED, ("EU", "is"), _TAGS[0]),
        ("cat NN x I-NP\n", {"tag_column": -2}, ("cat",), ("x",)),
    ],
)
def test_the_words_are_in_the_column_that_does_not_count_them(
    write, content, columns, words, tags
):
    data = read_conll(write(content), **columns)
    assert (data.words[0], data.tags[0]) == (words, tags)


def test_words_that_are_all_numbers_are_warned_of(write, caplog):
    read_conll(write("1984 O\nis O\n"))
    assert "only numbers" not in caplog.text
    read_conll(write("7 EU B-ORG\n8 is O\n"))
    assert "only numbers as words, in column 0" in caplog.text


@pytest.mark.parametrize(
    "tags, expected, num_strays",
    [
        ("O I-X I-X", "O B-X I-X", 1),
        ("B-Y I-X I-Y", "B-Y B-X B-Y", 2),
        ("I-X I-X O", "I-X I-X O", 0),  # IOB1.
        ("B-X E-X O", "B-X E-X O", 0),
        ("NN VB NN", "NN VB NN", 0),
    ],
)
def test_stray_tags_are_repaired_where_asked(
    write, caplog, tags, expected, num_strays
):
    begun = "B-X B-X O" if tags.startswith(("O", "B-Y")) else tags
    text = "".join(
        "".join(f"word {tag}\n" for tag in row.split()) + "\n"
        for row in (begun, tags)
    )
    data = read_conll(write(text), on_stray_tag="repair")
    assert data.tags[1] == tuple(expected.split())
    assert (f"{num_strays} tags do not follow" in caplog.text) == (
        num_strays > 0
    )
    assert read_conll(write(text)).tags[1] == tuple(tags.split())


@pytest.mark.parametrize(
    ("tags", "line", "tag"),
    [
        ("B-X I", 2, "I"),
        ("I B-X", 1, "I"),
        ("O I-X O I", 4, "I"),
        ("B-X B-", 2, "B-"),
    ],
)
def test_a_stray_tag_without_a_type_is_not_repaired(write, tags, line, tag):
    path = write("".join(f"word {tag}\n" for tag in tags.split()))
    with pytest.raises(ValueError, match="Tags must follow") as caught:
        read_conll(path, on_stray_tag="repair")
    assert f"At {path}, line {line}, {tag!r} has no type" in str(caught.value)
    assert "on_stray_tag" not in str(caught.value)
