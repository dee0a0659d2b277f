"""Which words are masked: whole ones, by themselves or several in a row."""

import numpy as np


def choose_word_runs(keys, lengths, word_starts, maskable, wanted):
    """Marks whole words, in random order until no further one fits.

    Words are visited in the order of their keys. Each begins a run of its
    length, which is shorter where a text ends or where it would be too many
    pieces. A run that would hold a word of an earlier one is left out.

    Args:
        keys: float `(num_examples, seq_length)` below 2, at the starts of
            words their places in the order.
        lengths: int `(num_examples, seq_length)`, there the words in a run.
        word_starts: bool `(num_examples, seq_length)`, True at pieces that
            begin a word.
        maskable: bool `(num_examples, seq_length)`, True at words, False at
            special tokens and padding.
        wanted: int `(num_examples,)`, most pieces to mark.

    Returns:
        bool `(num_examples, seq_length)`, True at marked pieces.
    """
    num_rows, seq_length = keys.shape
    order = np.argsort(np.where(word_starts, keys, 2.0), axis=1)
    number = np.arange(1, int(lengths.max(initial=1)) + 1)[:, None]
    ends = _run_ends(word_starts, maskable, len(number))
    taken = np.zeros((num_rows, seq_length + 1), bool)  # At starts of words.
    room = wanted.copy()
    for rank in range(int(word_starts.sum(axis=1).max(initial=0))):
        rows = np.flatnonzero(room > 0)
        first = order[rows, rank]
        run = ends[:, rows, first]  # [N, B]
        fits = (number <= lengths[rows, first]) & (run - first <= room[rows])
        fits &= word_starts[rows, first]
        end = np.where(fits, run, first).max(axis=0)
        words = np.concatenate([first[None], run[:-1]])
        in_run = words < end
        is_free = ~(taken[rows, words] & in_run).any(axis=0)
        taken[rows, words] |= in_run & is_free
        room[rows] -= (end - first) * is_free
    columns = np.where(word_starts, np.arange(seq_length), 0)
    start = np.maximum.accumulate(columns, axis=1)
    return np.take_along_axis(taken, start, axis=1) & maskable


def _run_ends(word_starts, maskable, longest):
    """Where runs of 1 up to `longest` words end, int `(longest, ...)`.

    Behind the last word of a text they end there.
    """
    num_rows, seq_length = word_starts.shape
    is_edge = np.ones((num_rows, seq_length + 1), bool)
    is_edge[:, :-1] = word_starts | ~maskable
    edges = np.where(is_edge, np.arange(seq_length + 1), seq_length)
    edges = np.minimum.accumulate(edges[:, ::-1], axis=1)[:, ::-1]
    # From one edge to the next; where no word begins, it stays.
    follows = np.append(edges[:, 1:], edges[:, -1:], axis=1)
    begins = np.append(word_starts, np.zeros((num_rows, 1), bool), axis=1)
    follows = np.where(begins, follows, np.arange(seq_length + 1))
    ends = [follows[:, :-1]]
    for _ in range(longest - 1):
        ends.append(np.take_along_axis(follows, ends[-1], axis=1))
    return np.stack(ends)
