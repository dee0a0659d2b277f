"""Tab that shows attention weights."""

import collections
import json

import numpy as np
from keras import ops

from keras_bert.playground.default_texts import SENTENCE
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import picker
from keras_bert.playground.markup import piece
from keras_bert.playground.markup import png_address
from keras_bert.playground.markup import shade
from keras_bert.playground.markup import wide
from keras_bert.playground.pieces import split_into_pieces
from keras_bert.playground.tab import NumberField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField

_ROW = 26  # Row height in pixels, as in the style sheet.
_MIN_WEIGHT = 0.01  # Weaker lines are not visible.
_NUM_PIECES = 40


# `weights` has shape `(num_layers, num_heads, num_pieces, num_pieces)`, with
# the queries before the keys. `entropies` are means over the queries, in bits.
# `layer` and `head` are the selected indices, from 0.
Attention = collections.namedtuple(
    "Attention", "tokens weights entropies layer head note"
)


def attend(model, text, pair="", layer=1, head=1):
    """Compute the attention weights for a text or a pair.

    Layers and heads are counted from 1.

    Returns:
        `Attention`
    """
    pieces = split_into_pieces(model, model.preprocess(_NUM_PIECES), text, pair)
    weights = model.pretrained.backbone.attention_weights(pieces.inputs)
    weights = np.stack(
        [ops.convert_to_numpy(ops.cast(x, "float32"))[0] for x in weights]
    )
    bits = -np.log2(np.maximum(weights, 1e-30))  # 0 * log 0 counts as 0.
    entropies = (weights * bits).sum(axis=-1).mean(axis=-1)
    return Attention(
        pieces.tokens, weights, entropies, layer - 1, head - 1, pieces.note
    )


def attention_picture(attention):
    """Render an `Attention` as `Html`."""
    chosen = attention.layer, attention.head
    tokens, weights = attention.tokens, attention.weights[chosen]
    items = [
        (piece(token), _lines(index, weights[index], tokens))
        for index, token in enumerate(tokens)
    ]
    most_bits = np.log2(len(tokens))
    title = f"Layer {attention.layer + 1}, head {attention.head + 1}"
    entropy = f"entropy {attention.entropies[chosen]:.2f} bits"
    return joined(
        note(attention.note),
        element("h3", f"{title}: {entropy}"),
        picker(items, class_="lines", chosen=min(1, len(items) - 1)),
        element("h3", "Maps and entropies of all heads"),
        note(
            "Click a map to open it. Rows are queries, columns are keys. At an "
            "entropy of 0 bits each piece attends to one piece only, at "
            f"{most_bits:.1f} bits to all pieces equally."
        ),
        _maps(attention),
    )


def _lines(index, row, tokens):
    """Render lines from a query to the keys, shaded by attention weight."""
    height = _ROW * len(tokens)
    lines = [
        element(
            "line",
            x1=0,
            y1=_ROW * (index + 0.5),
            x2=100,
            y2=_ROW * (key + 0.5),
            stroke_opacity=f"{0.15 + 0.85 * share:.2f}",
        )
        for key, share in enumerate(row)
        if share >= _MIN_WEIGHT
    ]
    svg = element(
        "svg",
        *lines,
        viewBox=f"0 0 100 {height}",
        preserveAspectRatio="none",
        style=f"height:{height}px",
        aria_hidden="true",
    )
    keys = [
        element(
            "div",
            piece(token, style=shade(share)),
            element("i", f"{100 * share:.0f} %"),
        )
        for token, share in zip(tokens, row, strict=True)
    ]
    return joined(svg, element("div", *keys, class_="keys"))


def _maps(attention):
    rows = []
    for layer, maps in enumerate(attention.weights):
        cells = [element("th", f"Layer {layer + 1}", scope="row")]
        for head, weights in enumerate(maps):
            is_chosen = (layer, head) == (attention.layer, attention.head)
            indices = {"layer": layer + 1, "head": head + 1}
            image = element(
                "img",
                src=png_address(weights, max(float(weights.max()), 1e-12)),
                alt=f"layer {layer + 1}, head {head + 1}",
                class_="map",
            )
            text = f"{head + 1}: {attention.entropies[layer, head]:.2f}"
            data = {"type": "button", "data_set": json.dumps(indices)}
            button = element("button", image, text, **data)
            class_ = "chosen" if is_chosen else None
            cells.append(element("td", button, class_=class_))
        rows.append(element("tr", *cells))
    return wide(element("table", *rows, class_="maps"))


def _missing_part(model):
    blocks = model.pretrained.backbone.blocks
    attentions = [getattr(block, "self_attention", None) for block in blocks]
    if all(hasattr(x, "attention_weights") for x in attentions):
        return ""
    return "attention layers that return their weights"


def _fields(model):
    config = model.pretrained.config
    numbers = [
        NumberField("layer", "Layer", 2, 1, config.depth),
        NumberField("head", "Head", 2, 1, config.sizes["N"]),
    ]
    return [
        TextField("text", "Text", SENTENCE),
        TextField("pair", "Second text, if any", "", is_optional=True),
        *(x for x in numbers if x.high > 1),  # A slider needs a range.
    ]


TAB = Tab(
    name="attention",
    title="Attention",
    description="In each head of each layer, every piece attends to all "
    "pieces. Choose a piece to see its attention weights.",
    fields=_fields,
    answer=attend,
    picture=attention_picture,
    missing_part=_missing_part,
)
