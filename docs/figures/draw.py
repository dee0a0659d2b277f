"""Draws the figures of "How BERT works" with what the library computes.

    python docs/figures/draw.py

The pieces and ids are those of the tiny model's tokenizer, the masks those of
the masking that makes records. A test holds the files to this program.
"""

import html
import pathlib

import numpy as np

import keras_bert
from keras_bert.data.examples.masking import mask_tokens
from keras_bert.data.examples.masking_rules import MaskingRules

_FOLDER = pathlib.Path(__file__).parent
_FIRST, _SECOND = "The function returns a list.", "Its elements are reversed."
_LINE, _TEXT = "#5b6770", "#1f2933"
_BLUE, _GREEN, _AMBER, _RED = "#d6e6f7", "#d9f0dd", "#fdebc8", "#f9d7d3"
_GREY = "#eceff1"
_CELL, _HEIGHT, _LEFT = 74, 30, 130


class Drawing:
    """An SVG of boxes, words and arrows on white."""

    def __init__(self, title, width, height):
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
            f'height="{height}" viewBox="0 0 {width} {height}" role="img" '
            'font-family="sans-serif" font-size="13">',
            f"<title>{html.escape(title)}</title>",
            '<defs><marker id="end" viewBox="0 0 8 8" refX="7" refY="4" '
            'markerWidth="7" markerHeight="7" orient="auto">'
            f'<path d="M0 0L8 4L0 8z" fill="{_LINE}"/></marker></defs>',
            f'<rect width="{width}" height="{height}" rx="8" fill="white"/>',
        ]

    def words(self, text, x, y, anchor="middle", size=13, bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self._parts.append(
            f'<text x="{x}" y="{y}" text-anchor="{anchor}" '
            f'font-size="{size}"{weight} fill="{_TEXT}">'
            f"{html.escape(str(text))}</text>"
        )

    def box(self, text, x, y, width, color=_BLUE, height=_HEIGHT):
        self._parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" '
            f'fill="{color}" stroke="{_LINE}"/>'
        )
        self.words(text, x + width // 2, y + height // 2 + 5)

    def arrow(self, *points):
        path = "L".join(f"{x} {y}" for x, y in points)
        self._parts.append(
            f'<path d="M{path}" fill="none" stroke="{_LINE}" '
            'stroke-width="1.5" marker-end="url(#end)"/>'
        )

    def row(self, name, values, y, colors):
        """A name and a box for each value that is not empty."""
        self.words(name, _LEFT - 12, y + 20, "end")
        for index, value in enumerate(values):
            if value == "":
                continue
            color = colors if isinstance(colors, str) else colors[index]
            self.box(value, _LEFT + index * _CELL, y, _CELL - 6, color)

    def text(self):
        return "\n".join([*self._parts, "</svg>\n"])


def main():
    for name, draw in (
        ("block", draw_block),
        ("input", draw_input),
        ("masking", draw_masking),
    ):
        (_FOLDER / f"{name}.svg").write_text(draw().text(), encoding="utf-8")


def draw_block():
    """A block, left to right, with both ways around."""
    drawing = Drawing("A block of BERT", 960, 150)
    boxes = [
        ("self-attention", 90, 130, _BLUE),
        ("+", 265, 36, _AMBER),
        ("layer norm", 345, 100, _GREEN),
        ("dense, GELU, dense", 510, 160, _BLUE),
        ("+", 715, 36, _AMBER),
        ("layer norm", 795, 100, _GREEN),
    ]
    ends = [(34, 85)]
    for text, x, width, color in boxes:
        drawing.arrow(ends[-1], (x, 85))
        drawing.box(text, x, 70, width, color)
        ends.append((x + width, 85))
    drawing.arrow(ends[-1], (930, 85))
    for name, x in (("x", 22), ("h", 462), ("y", 942)):
        drawing.words(name, x, 80, size=15, bold=True)
    for start, end in ((62, 283), (482, 733)):
        drawing.arrow((start, 85), (start, 40), (end, 40), (end, 70))
    drawing.words("each token looks at all others", 155, 125, size=12)
    drawing.words("each token by itself", 590, 125, size=12)
    return drawing


def draw_input():
    """A pair of texts as the three arrays that go in, and their sum."""
    tokens, inputs = _pair()
    drawing = Drawing("The input of BERT", _width(tokens), 230)
    is_second = inputs["segment_ids"] == 1
    colors = np.where(is_second, _GREEN, _BLUE).tolist()
    drawing.row("pieces", tokens, 14, _GREY)
    drawing.row("input_ids", inputs["input_ids"], 64, _AMBER)
    drawing.row("positions", range(len(tokens)), 110, _AMBER)
    drawing.row("segment_ids", inputs["segment_ids"], 156, colors)
    for index in range(len(tokens)):
        x = _LEFT + index * _CELL + (_CELL - 6) // 2
        drawing.arrow((x, 44), (x, 63))
        for y in (107, 153):
            drawing.words("+", x, y)
    drawing.words(
        "Three vectors for each piece; their sum is normalized.",
        _LEFT,
        214,
        "start",
        size=12,
    )
    return drawing


def draw_masking():
    """The same pair as the masked-LM task sees it."""
    tokens, inputs = _pair()
    vocabulary = _preprocessor().tokenizer.vocabulary
    rules = MaskingRules(
        # More than 15 %, so that so short a pair shows all three kinds.
        masked_lm_prob=0.25,
        max_predictions_per_seq=4,
        mask_id=vocabulary.id_of("[MASK]"),
        vocab_size=len(vocabulary),
    )
    ids = inputs["input_ids"][None]
    maskable = np.array([[not token.startswith("[") for token in tokens]])
    for seed in range(1000):  # The first that shows all three kinds.
        masked, positions, _, weights = mask_tokens(
            ids, maskable, rules, np.random.default_rng(seed)
        )
        chosen = positions[0][weights[0] == 1]
        kinds = [_kind(masked[0, x], ids[0, x], rules.mask_id) for x in chosen]
        if {*kinds} == {"masked", "random", "kept"}:
            break
    names, predicted = [""] * len(tokens), [""] * len(tokens)
    colors = [_GREY] * len(tokens)
    shades = {"masked": _AMBER, "random": _RED, "kept": _GREEN}
    for position, kind in zip(chosen, kinds, strict=True):
        names[position], predicted[position] = kind, tokens[position]
        colors[position] = shades[kind]
    drawing = Drawing("Masked words", _width(tokens), 200)
    shown = [vocabulary.tokens[index] for index in masked[0]]
    drawing.row("the text", tokens, 14, _GREY)
    drawing.row("what goes in", shown, 70, colors)
    drawing.row("to predict", predicted, 140, colors)
    for index, name in enumerate(names):
        if name:
            x = _LEFT + index * _CELL + (_CELL - 6) // 2
            drawing.words(name, x, 120, size=12)
            drawing.arrow((x, 44), (x, 69))
            drawing.arrow((x, 125), (x, 139))
    return drawing


def _preprocessor():
    # The casing of the tiny model.
    tokenizer = keras_bert.text.BertTokenizer(
        str(keras_bert.TINY_MODEL / "vocab.txt"), lowercase=True
    )
    return keras_bert.text.BertPreprocessor(tokenizer, seq_length=32)


def _pair():
    preprocess = _preprocessor()
    inputs = preprocess([_FIRST], [_SECOND])
    length = int(np.sum(inputs["input_mask"]))
    inputs = {key: x.numpy()[0, :length] for key, x in inputs.items()}
    tokens = preprocess.tokenizer.vocabulary.tokens
    return [tokens[index] for index in inputs["input_ids"]], inputs


def _kind(put, original, mask_id):
    if put == mask_id:
        return "masked"
    return "kept" if put == original else "random"


def _width(tokens):
    return _LEFT + len(tokens) * _CELL + 14


if __name__ == "__main__":
    main()
