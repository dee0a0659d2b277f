"""Draw the figures of the documentation from values computed by the library.

    python docs/figures/draw.py

The pieces and ids come from the tokenizer of the tiny model, the masks from the
masking of pre-training data. The figures of "BERT, GPT-1 and ELMo compared"
show the contexts of these architectures and the attention that
`benchmarks/studies/three_ways.py` has measured. A test compares the files with
this program.
"""

import html
import json
import pathlib

import keras
import numpy as np

import keras_bert
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.pretraining.records.masking import mask_tokens
from keras_bert.pretraining.records.masking_rules import MaskingRules

_FOLDER = pathlib.Path(__file__).parent
_FIRST, _SECOND = "The function returns a list.", "Its elements are reversed."
_LINE, _TEXT = "#5b6770", "#1f2933"
_BLUE, _GREEN, _AMBER, _RED = "#d6e6f7", "#d9f0dd", "#fdebc8", "#f9d7d3"
_GREY, _DARK = "#eceff1", "#1f5fa8"
_CELL, _HEIGHT, _LEFT = 74, 30, 130
_SMALL = 26
_WORDS = "the [MASK] by the river was steep .".split()


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

    def cell(self, x, y, color, opacity=1, size=_SMALL):
        self._parts.append(
            f'<rect x="{x}" y="{y}" width="{size}" height="{size}" '
            f'fill="{color}" fill-opacity="{opacity:g}" stroke="{_GREY}"/>'
        )

    def frame(self, x, y, size):
        self._parts.append(
            f'<rect x="{x}" y="{y}" width="{size}" height="{size}" '
            f'fill="none" stroke="{_LINE}"/>'
        )

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
        ("sight", draw_sight),
        ("attention", draw_attention),
    ):
        (_FOLDER / f"{name}.svg").write_text(draw().text(), encoding="utf-8")
    print("\n\n".join(three_ways_tables()))


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


def draw_sight():
    """What the last state of each word depends on, in three models."""
    drawing = Drawing("What each word may see", 930, 300)
    both = keras_bert.models.encoder(
        keras_bert.BertConfig(
            vocab_size=30,
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=16,
            max_position_embeddings=16,
            initializer_range=0.5,
        )
    )
    left = keras_bert.models.encoder(
        OpenAIGPTConfig(30, 16, 16, 2, 2, initializer_range=0.5)
    )
    columns = [
        ("BERT", [(_seen(both), _BLUE)]),
        ("GPT-1: left to right", [(_seen(left), _AMBER)]),
        ("ELMo: one model from each side", _seen_by_elmo()),
    ]
    for number, (title, layers) in enumerate(columns):
        x = 82 + 306 * number
        drawing.words(title, x + 4 * _SMALL, 24, bold=True)
        for row, word in enumerate(_WORDS):
            y = 40 + row * _SMALL
            drawing.words(word, x - 8, y + 18, "end", size=12)
            for column in range(len(_WORDS)):
                colors = [c for seen, c in layers if seen[row, column]]
                color = "white" if not colors else colors[0]
                # Seen by both models of an ELMo: itself only.
                color = _GREEN if len(colors) > 1 else color
                drawing.cell(x + column * _SMALL, y, color)
        for column in range(len(_WORDS)):
            middle = x + column * _SMALL + _SMALL // 2
            drawing.words(column + 1, middle, 266, size=11)
    drawing.words(
        "Each row is a word. Coloured are the words that its state in the last "
        "layer depends on; in ELMo from the left, from the right, or both.",
        20,
        290,
        "start",
        size=11,
    )
    return drawing


def draw_attention():
    """How much each piece takes of each other, the mean of the heads."""
    found = _three_ways()["attention"]
    pieces = found["BERT"]["pieces"]
    size, count = 18, len(pieces)
    width = 80 + size * count
    num_layers = len(found["BERT"]["maps"])
    height = size * count + 40
    drawing = Drawing("Attention", num_layers * width + 20, 2 * height + 20)
    for row, (name, own) in enumerate(found.items()):
        for layer, weights in enumerate(own["maps"]):
            x, y = 80 + layer * width, 40 + row * height
            drawing.words(f"{name}, layer {layer + 1}", x, y - 10, "start")
            for query, shares in enumerate(weights):
                middle = y + query * size + 13
                drawing.words(pieces[query], x - 6, middle, "end", size=11)
                for key, share in enumerate(shares):
                    if share >= 0.02:  # Lighter ones are not seen.
                        cell = x + key * size, y + query * size
                        drawing.cell(*cell, _DARK, share, size)
            drawing.frame(x, y, size * count)
    return drawing


def three_ways_tables():
    """What three models filled in, as tables in Markdown."""
    found = _three_ways()
    lines = ["| | right |", "|---|---|"]
    for name, share in found["right"].items():
        lines.append(f"| {name} | {100 * share:.1f} % |")
    tables = ["\n".join(lines)]
    for sentence in found["sentences"]:
        lines = ["| | fills in |", "|---|---|"]
        for name, pairs in sentence["filled"].items():
            shown = ", ".join(f"{word} {share:.2f}" for word, share in pairs)
            lines.append(f"| {name} | {shown} |")
        was = f" (was: {sentence['word']})" if sentence["word"] else ""
        tables.append(f"`{sentence['text']}`{was}\n\n" + "\n".join(lines))
    return tables


def _three_ways():
    path = _FOLDER / "three_ways.json"
    return json.loads(path.read_text(encoding="utf-8"))


def _seen(encoder):
    """Changes one token after the other, and looks which states change."""

    def states(ids):
        inputs = {"input_ids": ids, "input_mask": np.ones_like(ids)}
        inputs["segment_ids"] = np.zeros_like(ids)
        inputs = {name: inputs[name] for name in encoder.input}
        return np.asarray(encoder(inputs)["sequence_output"])[0]

    return _changed(states, np.arange(1, 1 + len(_WORDS)))


def _seen_by_elmo():
    options = keras_bert.models.ElmoOptions(
        **{"filters": ((1, 8), (2, 8)), "activation": "relu", "n_highway": 1},
        **{"embedding": 4, "n_characters": 40, "max_characters_per_token": 4},
        **{"dim": 16, "projection_dim": 8, "cell_clip": 3.0, "proj_clip": 3.0},
        **{"n_layers": 2, "use_skip_connections": True},
    )
    backbone = keras_bert.models.ElmoBackbone(options)
    encoder = keras.Model(backbone.inputs, backbone.states[-1])

    def states(ids):
        characters = np.repeat(ids[..., None], 4, axis=-1)
        inputs = {"input_ids": characters, "input_mask": np.ones_like(ids)}
        return np.asarray(encoder(inputs))[0]

    ids = np.arange(1, 1 + len(_WORDS))
    sides = (lambda x: states(x)[:, :8]), (lambda x: states(x)[:, 8:])
    return [
        (_changed(side, ids), color)
        for side, color in zip(sides, (_BLUE, _RED), strict=True)
    ]


def _changed(states, ids):
    """bool `(num_words, num_words)`, which state each word changes."""
    before = states(ids[None])
    seen = []
    for place in range(len(ids)):
        others = ids.copy()
        others[place] = 20
        change = np.abs(states(others[None]) - before).max(axis=1)
        seen.append(change > 1e-7)
    return np.stack(seen, axis=1)


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
