"""A summary and examples as one self-contained HTML page."""

import base64
import html

from keras_bert.data.records.outcomes import COLORS
from keras_bert.data.records.outcomes import MARKS
from keras_bert.data.records.outcomes import PLAIN
from keras_bert.programs.inspection.shown_examples import join_tokens

_STYLE = """
body { font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto;
       padding: 0 1em; color: #222; }
img { max-width: 100%; margin-top: 1em; }
th { text-align: left; vertical-align: top; padding-right: 1.5em;
     white-space: nowrap; }
.tokens, .mark { font-family: monospace; }
.mark { font-weight: bold; }
h3 { font-size: 1em; margin-bottom: 0; }
"""


def make_page(png, title, rows, examples):
    """Lay out an HTML page in bytes: a PNG, `summary_rows` and examples."""
    table = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    marks = "".join(
        f"<li>{_span(mark, outcome)} {html.escape(meaning)}</li>"
        for outcome, (mark, meaning) in MARKS.items()
        if any(outcome == token.outcome for token in _tokens(examples))
    )
    blocks = "".join(_example_block(example) for example in examples)
    heading = "<h2>Examples</h2>" if examples else ""
    image = base64.b64encode(png).decode("ascii")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{html.escape(title)}</h1><table>{table}</table>"
        f'<img alt="Diagrams of the numbers" '
        f'src="data:image/png;base64,{image}">'
        f"{heading}<ul>{marks}</ul>{blocks}</body></html>\n"
    ).encode()


def _tokens(examples):
    for example in examples:
        for tokens in example.parts.values():
            yield from tokens


def _example_block(example):
    def form(token):
        return _span(token.text, token.outcome)

    rows = "".join(
        f"<tr><th>{name}</th>"
        f'<td class="tokens">{join_tokens(tokens, form)}</td></tr>'
        for name, tokens in example.parts.items()
    )
    return (
        f"<h3>{html.escape(example.title)}</h3><table>{rows}"
        f"<tr><th>label</th><td>{html.escape(example.label)}</td></tr></table>"
    )


def _span(text, outcome):
    text = html.escape(text)
    if outcome == PLAIN:
        return text
    return f'<span class="mark" style="color:{COLORS[outcome]}">{text}</span>'
