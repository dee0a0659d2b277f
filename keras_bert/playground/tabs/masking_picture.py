"""Table of a masked text, and chart of the masking outcomes."""

from keras_bert.playground.markup import bar
from keras_bert.playground.markup import element
from keras_bert.playground.markup import joined
from keras_bert.playground.markup import note
from keras_bert.playground.markup import percent
from keras_bert.playground.markup import piece as chip
from keras_bert.playground.markup import table
from keras_bert.pretraining.records.mask_outcomes import EXPECTED
from keras_bert.pretraining.records.mask_outcomes import OUTCOMES
from keras_bert.pretraining.records.mask_outcomes import PLAIN

_WIDTH, _HEIGHT = 300, 100


def masking_picture(masked):
    """Render a `MaskedText` as `Html`."""
    return joined(
        note(masked.note),
        element("div", *map(_seen, masked.pieces), class_="text"),
        _predictions(masked.pieces),
        element("h3", "Outcomes of all draws"),
        _counts(masked.counts),
        _curve(masked.curve),
    )


def _seen(piece):
    return chip(piece.shown, piece.outcome)


def _predictions(pieces):
    rows = []
    for piece in pieces:
        if piece.outcome == PLAIN:
            continue
        outcome = EXPECTED[piece.outcome][0]
        cells = [piece.position, piece.original, _seen(piece), outcome]
        if piece.probability is not None:
            expected = [
                element("div", f"{token} ", element("i", percent(x)))
                for token, x in piece.expected
            ]
            cells += [joined(*expected), bar(piece.probability)]
        rows.append(cells)
    head = ["Position", "Label", "Input", "Outcome"]
    if any(piece.probability is not None for piece in pieces):
        head += ["Predictions", "Probability of the label"]
    return table(head, rows)


def _counts(counts):
    total = max(sum(counts.values()), 1)
    rows = [
        [
            chip(EXPECTED[name][0], name),
            f"{counts[name]:,}",
            bar(counts[name] / total),
            f"{EXPECTED[name][1]} %",
        ]
        for name in OUTCOMES
    ]
    return table(["", "Pieces", "Share", "Expected"], rows)


def _curve(curve):
    """Plot the shares over the number of draws as a line chart."""
    axes = f"0,0 0,{_HEIGHT} {_WIDTH},{_HEIGHT}"
    lines = [element("polyline", points=axes, class_="axis")]
    for share in (0, 10, 80, 100):
        height = _HEIGHT * (1 - share / 100) + 3
        lines.append(_words(f"{share} %", -3, height, "end"))
    lines.append(_words("first draw", 0, _HEIGHT + 11, "start"))
    lines.append(_words("all draws", _WIDTH, _HEIGHT + 11, "end"))
    step = _WIDTH / max(len(curve) - 1, 1)
    for name in OUTCOMES:
        level = _HEIGHT * (1 - EXPECTED[name][1] / 100)
        ends = {"x1": 0, "x2": _WIDTH, "y1": level, "y2": level}
        lines.append(element("line", **ends, class_="level"))
        points = " ".join(
            f"{index * step:.1f},{_HEIGHT * (1 - shares[name]):.1f}"
            for index, shares in enumerate(curve)
        )
        lines.append(element("polyline", points=points, class_=name))
    return element(
        "svg",
        *lines,
        viewBox=f"-32 -6 {_WIDTH + 36} {_HEIGHT + 20}",
        role="img",
        aria_label="Shares over the number of draws, towards 80, 10 and 10 %",
        class_="curve",
    )


def _words(text, x, y, anchor):
    return element("text", text, x=x, y=y, text_anchor=anchor)
