import hypothesis
import numpy as np
from hypothesis import strategies as st

from keras_bert.tasks.inputs.word_pieces import WordPieces
from keras_bert.tasks.inputs.word_windows import split_into_windows


def _pieces(*counts):
    """Return a sentence of words with these piece counts; ids start at 100."""
    words = np.repeat(np.arange(len(counts)), counts)
    return WordPieces(np.arange(100, 100 + len(words), dtype=np.int32), words)


def _shown(windows):
    return [(w.sentence, w.ids.tolist(), w.words.tolist()) for w in windows]


def test_a_word_that_fits_nowhere_keeps_its_first_pieces():
    windows = split_into_windows([_pieces(1, 5, 2)], room=3)
    assert _shown(windows) == [
        (0, [100], [0]),
        (0, [101, 102, 103], [1, 1, 1]),
        (0, [106, 107], [2, 2]),
    ]


_COUNTS = st.lists(st.lists(st.integers(0, 6), max_size=8), max_size=4)


@hypothesis.given(_COUNTS, st.integers(1, 9))
def test_windows_hold_all_words_once_and_cannot_hold_more(counts, room):
    sentences = [_pieces(*row) for row in counts]
    windows = split_into_windows(sentences, room)
    found = [(w.sentence, n) for w in windows for n in np.unique(w.words)]
    assert found == [
        (sentence, n)
        for sentence, row in enumerate(counts)
        for n, count in enumerate(row)
        if count
    ]
    for window, after in zip(windows, [*windows[1:], None]):
        assert 0 < len(window.ids) <= room
        row = counts[window.sentence]
        whole = [n for n in window.words if row[n] <= room]
        for n in whole:
            assert (window.words == n).sum() == row[n]
        ids, words = sentences[window.sentence]
        start = window.ids[0] - 100
        inside = slice(start, start + len(window.ids))
        np.testing.assert_array_equal(window.ids, ids[inside])
        np.testing.assert_array_equal(window.words, words[inside])
        if after is not None and after.sentence == window.sentence:
            assert len(window.ids) + row[after.words[0]] > room
