"""Attention as lines from a piece, and as maps of all heads."""

import numpy as np

from keras_bert.playground.pictures.markup import element
from keras_bert.playground.pictures.markup import joined
from keras_bert.playground.pictures.markup import note
from keras_bert.playground.pictures.markup import picker
from keras_bert.playground.pictures.png import png_address

_ROW = 26  # Pixels, as in the style sheet.
_LEAST = 0.01  # Lighter lines are not seen.


def attention_picture(attention):
    """An `Attention` as `Html`."""
    chosen = attention.weights[attention.layer, attention.head]
    entropy = attention.entropies[attention.layer, attention.head]
    tokens = attention.tokens
    items = [
        (element("span", token, class_="piece"), _lines(index, row, tokens))
        for index, (token, row) in enumerate(zip(tokens, chosen))
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
                "Rows are the pieces that look, columns those that are looked "
                "at. 0 bits: each piece looks at one only; "
                f"{most_bits:.1f} bits: at all alike."
            ),
            _maps(attention),
        ]
    )


def _lines(index, row, tokens):
    """Lines from a piece to all others, and these with their shares."""
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
            element("span", token, class_="piece", style=_shade(share)),
            element("i", f"{100 * share:.0f} %"),
        )
        for token, share in zip(tokens, row)
    ]
    return joined([svg, element("div", *keys, class_="keys")])


def _shade(share):
    return f"background:rgba(59,130,246,{share:.2f})"


def _maps(attention):
    rows = []
    for layer, (maps, entropies) in enumerate(
        zip(attention.weights, attention.entropies)
    ):
        cells = [element("th", f"Layer {layer + 1}", scope="row")]
        for head, (weights, bits) in enumerate(zip(maps, entropies)):
            is_chosen = (layer, head) == (attention.layer, attention.head)
            image = element(
                "img",
                src=png_address(weights, max(float(weights.max()), 1e-12)),
                alt=f"layer {layer + 1}, head {head + 1}",
                class_="map",
            )
            name = f"{head + 1}: {bits:.2f}"
            cell = [image, element("div", name)]
            class_ = "chosen" if is_chosen else None
            cells.append(element("td", *cell, class_=class_))
        rows.append(element("tr", *cells))
    return element(
        "div", element("table", *rows, class_="maps"), class_="wide", tabindex=0
    )
