"""Rule of ALBERT and XLNet for pieces that end in a digit and a comma.

`encode_pieces` of google-research/albert and zihangdai/xlnet tokenizes such a
piece again, without its comma: "▁1900," becomes "▁1900" and ",".
"""

from keras_bert.text.normalization.normalizers import WORD_START

_COMMA = ","


def ends_number(piece):
    """Return whether a piece ends in a digit and a comma."""
    return piece.endswith(_COMMA) and piece[-2:-1].isdigit()


def number_splits(pieces, encode):
    """Split the pieces that end in a digit and a comma.

    Args:
        pieces: sequence of str, the pieces of a model.
        encode: callable that tokenizes a list of str to lists of pieces (str).

    Returns:
        A dict mapping each of these pieces to a list of str. As in the
        original, the first may be unknown to the model: if a number continues
        a word, the "▁" of its first piece is removed.
    """
    numbers = [piece for piece in pieces if ends_number(piece)]
    rows = encode([piece[:-1].replace(WORD_START, "") for piece in numbers])
    splits = {}
    for piece, (first, *others) in zip(numbers, rows, strict=True):
        if not piece.startswith(WORD_START):
            first = first.removeprefix(WORD_START)
        splits[piece] = [x for x in (first, *others, _COMMA) if x]
    return splits
