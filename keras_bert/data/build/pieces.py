"""What a finished piece of work leaves beside its files: a JSON file."""

import collections

from keras_bert.artifacts import read_json
from keras_bert.artifacts import write_json


def finish_piece(stem, counts, **about):
    """Says that a piece is done.

    Args:
        stem: str, of its files.
        counts: dict of ints.
        **about: what else to know of it, for JSON.
    """
    write_json(f"{stem}.json", {"counts": counts, **about})


def read_piece(stem):
    """What `finish_piece` wrote, a dict; None while the piece is not done."""
    return read_json(f"{stem}.json")


def summed_counts(stems):
    """The counts of finished pieces, a Counter."""
    counts = collections.Counter()
    for stem in stems:
        counts.update(read_piece(stem)["counts"])
    return counts
