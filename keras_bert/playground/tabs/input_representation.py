"""Input representation: the embeddings of each piece."""

import dataclasses

import numpy as np
from keras import ops

from keras_bert import features
from keras_bert.playground.default_texts import PAIR
from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import picker
from keras_bert.playground.markup import piece as chip
from keras_bert.playground.markup import strip
from keras_bert.playground.markup import table
from keras_bert.playground.pieces import cut
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField

_NUM_PIECES = 48
_NUM_NEAREST = 8


@dataclasses.dataclass(frozen=True)
class RepresentedPiece:
    """A piece with its place and the vectors that the first layer gets.

    Args:
        position: int.
        token: str.
        id: int, its row of the table.
        segment: int.
        text_number: int, 1 or 2, or 0 of special tokens.
        start: int, its first byte in that text.
        end: int, the byte behind it.
        vectors: dict of float arrays `(embedding_size,)`: "word", "position"
            and perhaps "segment", and "sum".
        nearest: list of pairs of a piece and the cosine of its row of the
            table, the nearest first.
    """

    position: int
    token: str
    id: int
    segment: int
    text_number: int
    start: int
    end: int
    vectors: dict
    nearest: list


@dataclasses.dataclass(frozen=True)
class Representation:
    """The pieces of a text or a pair.

    Args:
        pieces: list of `RepresentedPiece`.
        note: str.
    """

    pieces: list
    note: str


def represent(model, text, pair=""):
    """Look up the embeddings of the pieces, as a `Representation`."""
    pieces = cut(model, model.preprocess(_NUM_PIECES), text, pair)
    embeddings = model.pretrained.backbone.embeddings
    mask = features.INPUT_MASK.name
    inputs = {name: x for name, x in pieces.inputs.items() if name != mask}
    vectors = {
        name: ops.convert_to_numpy(ops.cast(x, "float32"))[0]
        for name, x in embeddings.summands(**inputs).items()
    }
    vectors["sum"] = sum(vectors.values())
    ids = pieces.inputs[features.INPUT_IDS.name][0].tolist()
    nearest = _nearest(model, embeddings, ids)
    columns = zip(
        pieces.tokens,
        ids,
        pieces.segments,
        pieces.text_numbers,
        pieces.starts,
        pieces.ends,
        strict=True,
    )
    shown = [
        RepresentedPiece(
            position,
            *column,
            {name: x[position] for name, x in vectors.items()},
            nearest[column[1]],
        )
        for position, column in enumerate(columns)
    ]
    return Representation(shown, pieces.note)


def _nearest(model, embeddings, ids):
    """By id, the pieces whose rows of the table are most similar to its own."""
    tokens = model.vocabulary.tokens
    rows = ops.convert_to_numpy(embeddings.word_embeddings)[: len(tokens)]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    found = {}
    for index in set(ids):
        cosines = rows @ rows[index]
        cosines[index] = -np.inf
        count = min(_NUM_NEAREST, len(tokens) - 1)
        best = np.argpartition(-cosines, count - 1)[:count]
        best = best[np.argsort(-cosines[best])]
        found[index] = [(tokens[x], float(cosines[x])) for x in best]
    return found


def pieces_picture(representation):
    """A `Representation` as `Html`."""
    pieces = representation.pieces
    # One scale for all strips, so that the sum is seen; a single number that
    # is far greater does not make the others pale.
    numbers = [x for piece in pieces for x in piece.vectors.values()]
    most = max(float(np.percentile(np.abs(numbers), 99)), 1e-12)
    items = [(_label(piece), _panel(piece, most)) for piece in pieces]
    rows = [_row(piece) for piece in pieces]
    head = ["Position", "Piece", "Index", "Segment", "Text", "Bytes"]
    return joined(
        [
            note(representation.note),
            picker(items, chosen=min(1, len(items) - 1)),
            note(f"Full blue is {most:.2g} or more, full orange -{most:.2g}."),
            element("h3", "All pieces"),
            table(head, rows),
        ]
    )


def _label(piece):
    return chip(piece.token, f"segment{piece.segment}")


def _row(piece):
    place = [piece.text_number, f"{piece.start} to {piece.end}"]
    return [
        piece.position,
        _label(piece),
        piece.id,
        piece.segment if "segment" in piece.vectors else "none",
        *(place if piece.text_number else ["special", ""]),
    ]


def _panel(piece, most):
    strips = [
        [
            "sum" if name == "sum" else f"{name} embedding",
            strip(
                vector,
                most,
                f"{name}: {len(vector)} numbers, blue above 0, orange below",
            ),
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


TAB = Tab(
    name="input_representation",
    title="Input representation",
    about="Each piece enters as a sum of vectors: for the piece itself, for "
    "its position and, in some models, for its segment. Choose a piece to see "
    "them. Ġ and ▁ stand for a space before a piece, ## for none.",
    fields=lambda model: [
        TextField("text", "Text", SENTENCE),
        TextField("pair", "Second text, if any", PAIR, is_optional=True),
    ],
    answer=represent,
    picture=pieces_picture,
    lacking=lambda model: (
        ""
        if hasattr(model.pretrained.backbone.embeddings, "summands")
        else "embeddings that are a sum"
    ),
)
