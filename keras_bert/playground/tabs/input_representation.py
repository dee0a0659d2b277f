"""Tab that shows the input representation of each piece."""

import collections

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
from keras_bert.playground.pieces import split_into_pieces
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField

_NUM_PIECES = 48
_NUM_NEAREST = 8


# `text_number` is 1 or 2, or 0 for special tokens; `start` and `end` are byte
# offsets into the text; `vectors` is a dict of float arrays
# `(embedding_size,)`: "word", "position", "segment" (if any) and "sum";
# `nearest` contains pairs (piece, cosine of the word embeddings).
RepresentedPiece = collections.namedtuple(
    "RepresentedPiece",
    "position token id segment text_number start end vectors nearest",
)


Representation = collections.namedtuple("Representation", "pieces note")


def represent(model, text, pair=""):
    """Look up the embeddings of the pieces and return a `Representation`."""
    pieces = split_into_pieces(model, model.preprocess(_NUM_PIECES), text, pair)
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
    columns = (
        range(len(ids)),
        pieces.tokens,
        ids,
        pieces.segments,
        pieces.text_numbers,
        pieces.starts,
        pieces.ends,
        [{x: y[row] for x, y in vectors.items()} for row in range(len(ids))],
        [nearest[index] for index in ids],
    )
    shown = map(RepresentedPiece._make, zip(*columns, strict=True))
    return Representation([*shown], pieces.note)


def _nearest(model, embeddings, ids):
    """Map each id to the pieces with the most similar word embeddings."""
    tokens = model.vocabulary.tokens
    rows = ops.convert_to_numpy(embeddings.word_embeddings)[: len(tokens)]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)
    nearest = {}
    for index in set(ids):
        cosines = rows @ rows[index]
        cosines[index] = -np.inf
        count = min(_NUM_NEAREST, len(tokens) - 1)
        best = np.argpartition(-cosines, count - 1)[:count]
        best = best[np.argsort(-cosines[best])]
        nearest[index] = [(tokens[x], float(cosines[x])) for x in best]
    return nearest


def pieces_picture(representation):
    """Render a `Representation` as `Html`."""
    pieces = representation.pieces
    # All strips have the same scale, so that the summands and the sum can be
    # compared. A percentile is robust against a single large value.
    numbers = [x for piece in pieces for x in piece.vectors.values()]
    most = max(float(np.percentile(np.abs(numbers), 99)), 1e-12)
    items = [(_label(piece), _panel(piece, most)) for piece in pieces]
    rows = [_row(piece) for piece in pieces]
    head = ["Position", "Piece", "Index", "Segment", "Text", "Bytes"]
    return joined(
        note(representation.note),
        picker(items, chosen=min(1, len(items) - 1)),
        note(f"Full blue is {most:.2g} or more, full orange -{most:.2g}."),
        element("h3", "All pieces"),
        table(head, rows),
    )


def _label(piece):
    return chip(piece.token, f"segment{piece.segment}")


def _row(piece):
    span = [piece.text_number, f"{piece.start} to {piece.end}"]
    return [
        piece.position,
        _label(piece),
        piece.id,
        piece.segment if "segment" in piece.vectors else "none",
        *(span if piece.text_number else ["special", ""]),
    ]


def _panel(piece, most):
    strips = []
    for name, vector in piece.vectors.items():
        title = "sum" if name == "sum" else f"{name} embedding"
        alt = f"{name}: {len(vector)} numbers, blue above 0, orange below"
        norm = f"{np.linalg.norm(vector):.2f}"
        strips.append([title, strip(vector, most, alt), norm])
    nearest = [
        element("li", token, " ", element("i", f"{cosine:.2f}"))
        for token, cosine in piece.nearest
    ]
    return joined(
        element("h3", f"{piece.token}, at position {piece.position}"),
        table(["", "Vector", "Norm"], strips),
        element("p", "Nearest word embeddings, by cosine:"),
        element("ul", *nearest, class_="words"),
    )


TAB = Tab(
    name="input_representation",
    title="Input representation",
    description="The input of a piece is a sum of embeddings: of the piece, of "
    "its position and, in some models, of its segment. Choose a piece to see "
    "them. Ġ and ▁ mark a space before a piece, ## marks no space.",
    fields=lambda model: [
        TextField("text", "Text", SENTENCE),
        TextField("pair", "Second text, if any", PAIR, is_optional=True),
    ],
    answer=represent,
    picture=pieces_picture,
    missing_part=lambda model: (
        ""
        if hasattr(model.pretrained.backbone.embeddings, "summands")
        else "embeddings that are a sum"
    ),
)
