"""Attention weights, as lines from a piece and as maps of all heads."""

import dataclasses
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
from keras_bert.playground.pieces import cut
from keras_bert.playground.tab import NumberField
from keras_bert.playground.tab import Tab
from keras_bert.playground.tab import TextField

_ROW = 26  # Pixels, as in the style sheet.
_LEAST = 0.01  # Lighter lines are not seen.
_NUM_PIECES = 40


@dataclasses.dataclass(frozen=True)
class Attention:
    """The attention weights of all heads.

    Args:
        tokens: list of str.
        weights: float array `(num_layers, num_heads, num_pieces,
            num_pieces)`, queries before keys.
        entropies: float array `(num_layers, num_heads)` in bits, the mean
            over the queries.
        layer: int, the chosen layer, from 0.
        head: int, the chosen head, from 0.
        note: str.
    """

    tokens: list
    weights: np.ndarray
    entropies: np.ndarray
    layer: int
    head: int
    note: str


def attend(model, text, pair="", layer=1, head=1):
    """Compute the attention weights of a text or a pair, an `Attention`.

    Layers and heads are counted from 1, as readers do.
    """
    pieces = cut(model, model.preprocess(_NUM_PIECES), text, pair)
    found = model.pretrained.backbone.attention_weights(pieces.inputs)
    weights = np.stack(
        [ops.convert_to_numpy(ops.cast(x, "float32"))[0] for x in found]
    )
    return Attention(
        pieces.tokens,
        weights,
        _entropies(weights),
        layer - 1,
        head - 1,
        pieces.note,
    )


def _entropies(weights):
    bits = -np.log2(np.maximum(weights, 1e-30))  # 0 * log 0 counts as 0.
    return (weights * bits).sum(axis=-1).mean(axis=-1)


def attention_picture(attention):
    """An `Attention` as `Html`."""
    chosen = attention.weights[attention.layer, attention.head]
    entropy = attention.entropies[attention.layer, attention.head]
    tokens = attention.tokens
    items = [
        (piece(token), _lines(index, row, tokens))
        for index, (token, row) in enumerate(zip(tokens, chosen, strict=True))
    ]
    most_bits = np.log2(len(tokens))
    title = f"Layer {attention.layer + 1}, head {attention.head + 1}"
    return joined(
        [
            note(attention.note),
            element("h3", f"{title}: entropy {entropy:.2f} bits"),
            picker(items, class_="lines", chosen=min(1, len(items) - 1)),
            element("h3", "All heads, with their entropies"),
            note(
                "A click opens one. Rows are the pieces that look, columns "
                "those that are looked at. 0 bits: each piece looks at one "
                f"only; {most_bits:.1f} bits: at all alike."
            ),
            _maps(attention),
        ]
    )


def _lines(index, row, tokens):
    """Lines from a piece to the others, which are shaded by their shares."""
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
        if share >= _LEAST
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
    return joined([svg, element("div", *keys, class_="keys")])


def _maps(attention):
    rows = []
    for layer, (maps, entropies) in enumerate(
        zip(attention.weights, attention.entropies, strict=True)
    ):
        cells = [element("th", f"Layer {layer + 1}", scope="row")]
        for head, (weights, bits) in enumerate(
            zip(maps, entropies, strict=True)
        ):
            is_chosen = (layer, head) == (attention.layer, attention.head)
            image = element(
                "img",
                src=png_address(weights, max(float(weights.max()), 1e-12)),
                alt=f"layer {layer + 1}, head {head + 1}",
                class_="map",
            )
            button = element(
                "button",
                image,
                f"{head + 1}: {bits:.2f}",
                type="button",
                data_set=json.dumps({"layer": layer + 1, "head": head + 1}),
            )
            class_ = "chosen" if is_chosen else None
            cells.append(element("td", button, class_=class_))
        rows.append(element("tr", *cells))
    return element(
        "div", element("table", *rows, class_="maps"), class_="wide", tabindex=0
    )


def _lacking(model):
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
        *(x for x in numbers if x.high > 1),  # A slider needs two ends.
    ]


TAB = Tab(
    name="attention",
    title="Attention",
    about="In each head of each layer, every piece takes a share of all "
    "pieces. Choose a piece to see where its shares come from.",
    fields=_fields,
    answer=attend,
    picture=attention_picture,
    lacking=_lacking,
)
