"""Lexicons: entries found in texts, and the words that they make of tokens."""

import numpy as np
import pytest

from keras_bert.pretraining.corpus.chunk_writer import ChunkWriter
from keras_bert.pretraining.corpus.lexicon import Lexicon
from keras_bert.pretraining.corpus.token_store import CONTINUES
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS


@pytest.fixture
def make(tmp_path):
    def make(text, **arguments):
        path = tmp_path / "lexicon.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return Lexicon(path, **arguments)

    return make


@pytest.mark.parametrize(
    "entries, text, found",
    [
        ("New York", "In New York.", ["New York"]),
        ("New York", "new york, New  York", ["New  York"]),
        ("New York", "Newer York, New Yorker, New, York", []),
        ("a b c\na b", "a b", ["a b"]),
        ("art", "party art-house art", ["art", "art"]),
        ("new york city\nNew York\ncity hall", "New York city hall", None),
        ("北京\n北京大学\n学生", "他在北京大学生活", ["北京大学"]),
        ("AT&T", "AT & T and AT&T", ["AT & T", "AT&T"]),
        ("café au lait", "é café au lait é", ["café au lait"]),
    ],
)
def test_the_longest_entry_is_found_at_word_borders(make, entries, text, found):
    lexicon = make(entries, ignores_case=found is None)
    lines = ["中", text, ""]
    groups = lexicon.groups([line.encode() for line in lines])
    data = " ".join(["", *lines]).encode()
    assert len(groups) > len(data) - 1
    spans = [np.flatnonzero(groups == n + 1) for n in range(groups.max())]
    assert [data[x[0] : x[-1] + 1].decode() for x in spans] == (
        ["New York city"] if found is None else found
    )
    assert sum(map(len, spans)) == np.count_nonzero(groups)


@pytest.mark.parametrize(
    "text, ignores_case, message",
    [
        ("a b\n\nc", False, r"line 2, .*: '', empty"),
        ("a b\n \u3000\n", False, r"line 2, .*empty"),
        ("", False, r"line 1, .*empty"),
        ("a b\nc\na  b", False, r"line 3, .*'a  b', a duplicate of line 1"),
        ("A b\na B", True, r"line 2, .*'a B', a duplicate of line 1"),
        (b"caf\xe9", False, "must be UTF-8 text"),
    ],
)
def test_invalid_lines_are_named(make, text, ignores_case, message):
    with pytest.raises(ValueError, match=rf"lexicon\.txt.*{message}"):
        make(text, ignores_case=ignores_case)


@pytest.mark.parametrize("segmented_words", [False, True])
def test_tokens_of_an_entry_are_one_word(make, segmented_words, tmp_path):
    pieces = "new york ##er ##s 北 京 大 学 生 in a".split()
    tokenizer = BertTokenizer(Vocabulary([*SPECIAL_TOKENS, *pieces]))
    lexicon = make("New Yorkers\n北京大学", ignores_case=True)
    lines = ["In New Yorkers", "a 北京大学生", "new york", "", "京 北京大学"]
    stem = str(tmp_path / "chunk")
    with ChunkWriter(stem, tokenizer, segmented_words, lexicon) as writer:
        writer.write([line.encode() for line in lines])
    bits = (np.fromfile(f"{stem}.tokens", np.uint32) >= CONTINUES).astype(int)
    in_line = [0, 0, 1, 1, 1], [0, 0, 1, 1, 1, segmented_words], [0, 0]
    assert bits.tolist() == [*np.concatenate(in_line), 0, 0, 1, 1, 1]
    assert lexicon.matched == {1, 2}
