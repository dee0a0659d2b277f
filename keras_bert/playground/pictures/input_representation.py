"""The pieces of a text, and the embeddings of the one that is chosen."""

import numpy as np

from keras_bert.playground.pictures.markup import element
from keras_bert.playground.pictures.markup import joined
from keras_bert.playground.pictures.markup import note
from keras_bert.playground.pictures.markup import picker
from keras_bert.playground.pictures.markup import table
from keras_bert.playground.pictures.png import png_address


def pieces_picture(representation):
    """A `Representation` as `Html`."""
    pieces = representation.pieces
    # The strips of one kind are comparable from piece to piece.
    most = {
        name: max(np.abs(piece.vectors[name]).max() for piece in pieces)
        for name in pieces[0].vectors
    }
    items = [(_label(piece), _panel(piece, most)) for piece in pieces]
    rows = [_row(piece) for piece in pieces]
    head = ["Position", "Piece", "Index", "Segment", "Text", "Bytes"]
    return joined(
        [
            note(representation.note),
            picker(items, chosen=min(1, len(items) - 1)),
            element("h3", "All pieces"),
            table(head, rows),
        ]
    )


def _label(piece):
    return element("span", piece.token, class_=f"piece segment{piece.segment}")


def _row(piece):
    place = [piece.text_number, f"{piece.start} to {piece.end}"]
    return [
        piece.position,
        element("span", piece.token, class_=f"piece segment{piece.segment}"),
        piece.id,
        piece.segment if "segment" in piece.vectors else "none",
        *(place if piece.text_number else ["special", ""]),
    ]


def _panel(piece, most):
    strips = [
        [
            "sum" if name == "sum" else f"{name} embedding",
            _strip(name, vector, most[name]),
            f"{np.linalg.norm(vector):.2f}",
        ]
        for name, vector in piece.vectors.items()
    ]
    nearest = [
        element("li", token, " ", element("i", f"{cosine:.2f}"))
        for token, cosine in piece.nearest
    ]
    return joined(
        [
            element("h3", f"{piece.token}, at position {piece.position}"),
            table(["", "Vector", "Norm"], strips),
            element("p", "Nearest words of the table, by cosine:"),
            element("ul", *nearest, class_="words"),
        ]
    )


def _strip(name, vector, most):
    return element(
        "img",
        src=png_address(vector[np.newaxis], max(float(most), 1e-12)),
        alt=f"{name}: {len(vector)} numbers, blue above 0, orange below",
        class_="strip",
    )
