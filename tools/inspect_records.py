"""Checks record files, measures them and shows some of their examples.

    python tools/inspect_records.py --input_file='tfrecords/wiki/*.tfrecord' \\
        --vocab_file=vocab.txt --output_file=records.html

Every record of every file is read and held to the schema of
tfrecords/README.md. The first that does not conform is an error that names
the file, the record (counted from 0), the feature and what it holds; so is a
file that is cut or damaged.

In the examples, word pieces are joined to words, and what the model must
predict stands in brackets:

    [MASK→word]       hidden behind [MASK]: 80 % of the predictions
    [other*→word]     replaced by a random word piece: 10 %
    [word=]           kept as it is: 10 %

Records whose masks are drawn while training hold no predictions; of these,
words are measured by their number of pieces.

If a manifest of create_pretraining_data stands beside the records, it must
list them as they are, and tell of this vocabulary.

Without --output_file nothing is written. A .png holds diagrams: lengths, share
of predicted tokens, what stands at predictions, next sentences. A .html is one
self-contained page with the diagrams, the numbers and the examples.
"""

import base64
import html
import importlib
import io
import pathlib
import textwrap

import numpy as np
from absl import flags

from keras_bert import command_line
from keras_bert import outputs
from keras_bert.data.records import inspection
from keras_bert.files import expand_patterns
from keras_bert.text.casing import agreed_casing
from keras_bert.text.casing import casing_beside
from keras_bert.text.vocabulary import Vocabulary

_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    None,
    "TFRecord files: paths and globs, comma-separated.",
    required=True,
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "The vocab.txt.", required=True
)
_NUM_EXAMPLES = flags.DEFINE_integer(
    "num_examples", 3, "Records to show, from the first on.", lower_bound=0
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "A summary to write, .png or .html."
)

_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)

_MARKS = (
    (inspection.MASKED, "[MASK→word]", "word hidden behind [MASK]"),
    (inspection.RANDOM, "[other*→word]", "word replaced by a random piece"),
    (inspection.KEPT, "[word=]", "word kept as it is"),
)
# What BERT's procedure makes, in percent.
_EXPECTED = {"[MASK]": 80, "random": 10, "kept": 10}
_COLORS = {
    inspection.MASKED: "#2f6db3",
    inspection.RANDOM: "#c4512f",
    inspection.KEPT: "#3c8550",
    "length": "#5b6770",
    "predictions": "#5b6770",
    "words": "#2f6db3",
    "next": "#7a5c94",
}
_LINE = {"color": "black", "linestyle": "--"}
_LINE_WIDTH = 80
_MAX_BARS = 64
_MAX_PIECES = 12
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


def main():
    paths = expand_patterns(_INPUT_FILE.value)
    vocabulary = Vocabulary.from_file(_VOCAB_FILE.value)
    _check_output(_OUTPUT_FILE.value, [*paths, _VOCAB_FILE.value])
    altered = _check_manifests(paths, vocabulary)
    statistics, examples = inspection.inspect_records(
        paths, vocabulary, _NUM_EXAMPLES.value
    )
    if altered:  # After the records, of which a damaged one says more.
        raise altered[0]
    if examples:
        print(_examples_text(examples, statistics.is_static))
    rows = _summary_rows(statistics)
    width = max(len(name) for name, _ in rows)
    print("\n".join(f"{name:<{width}}  {value}" for name, value in rows))
    if _OUTPUT_FILE.value:
        data = _draw(statistics, _title(paths))
        if _OUTPUT_FILE.value.endswith(".html"):
            data = _page(data, _title(paths), rows, examples)
        with outputs.recorded_file(_OUTPUT_FILE.value) as name:
            pathlib.Path(name).write_bytes(data)
        print(f"\nWritten: {_OUTPUT_FILE.value}")


def _check_output(path, inputs):
    """Refuses, before any work, what could not be written."""
    if not path:
        command_line.refuse(_OVERWRITE, "is for --output_file")
        return
    if not path.endswith((".png", ".html")):
        raise ValueError(
            f"--output_file must end in .png or .html. Received: {path!r}."
        )
    outputs.check_output_files([path], inputs, _OVERWRITE.value)
    try:
        importlib.import_module("matplotlib.figure")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"--output_file needs the package {error.name}, which is not "
            "installed here. Try: pip install 'keras-bert-tf[demo]'"
        ) from None


def _check_manifests(paths, vocabulary):
    """Holds the vocabulary to what the records were made with.

    Returns:
        A list of ValueError: records that are not as their manifest says.
    """
    altered, claims = [], casing_beside(_VOCAB_FILE.value)
    for path in paths:
        try:
            manifest, values = outputs.manifest_of(path)
        except ValueError as error:
            altered.append(error)
            continue
        settings = (values or {}).get("settings", {})
        made_with = settings.get("vocabulary", vocabulary.sha256)
        if made_with != vocabulary.sha256:
            raise ValueError(
                "--vocab_file must be the vocabulary that the records were "
                f"made with. Received: {_VOCAB_FILE.value}, with the hash "
                f"{vocabulary.sha256[:12]}; {manifest} says {made_with[:12]}."
            )
        claims[manifest] = settings.get("text", {}).get("do_lower_case")
    if any(claim is not None for claim in claims.values()):
        agreed_casing(vocabulary, claims)
    return altered


def _title(paths):
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{pathlib.Path(paths[0]).name}{more}"


def _examples_text(examples, is_static):
    lines = []
    if is_static:
        lines += ["What the model must predict stands in brackets:"]
        lines += [f"  {mark:<15} {meaning}" for _, mark, meaning in _MARKS]
        lines += [""]
    for example in examples:
        lines += [example.title]
        for name, tokens in example.parts.items():
            lines += _wrap(f"  {name:<7}", inspection.join_tokens(tokens))
        lines += [f"  label  {example.label}", ""]
    return "\n".join(lines)


def _wrap(name, text):
    return textwrap.wrap(
        text,
        _LINE_WIDTH,
        initial_indent=name,
        subsequent_indent=" " * len(name),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _summary_rows(statistics):
    """What was measured, as names and texts."""
    counts, share = statistics.counts, statistics.share
    mean = share("tokens", "records")
    rows = [
        (
            "Records",
            f"{counts['records']:,} in {counts['files']:,} file(s); all "
            "conform",
        ),
        (
            "Length",
            f"{mean:.1f} tokens on average with [CLS] and [SEP], at most "
            f"{statistics.max_length}",
        ),
        (
            "Short",
            f"{_percent(statistics.short_share)} of the examples have fewer "
            f"than {statistics.max_length} tokens",
        ),
    ]
    rows += (_prediction_rows if statistics.is_static else _word_rows)(
        statistics
    )
    measured = _percent(share("random_next", "records"))
    return [*rows, ("Random next", f"{measured} of the examples (BERT: 50 %)")]


def _prediction_rows(statistics):
    counts, share = statistics.counts, statistics.share
    padding = counts["padding"] / (counts["padding"] + counts["tokens"])
    rows = [
        ("Padding", f"{_percent(padding)} of what the records hold"),
        (
            "To predict",
            f"{_percent(share('predictions', 'tokens'))} of the tokens, "
            f"{counts['predictions']:,}; of these",
        ),
    ]
    for outcome, (name, expected) in zip(
        inspection.OUTCOMES, _EXPECTED.items()
    ):
        measured = _percent(share(outcome, "predictions"))
        rows.append((f"  {name}", f"{measured} (BERT: {expected} %)"))
    return rows


def _word_rows(statistics):
    words, pieces = statistics.counts["words"], statistics.counts["pieces"]
    return [
        (
            "Words",
            f"{pieces / words:.2f} pieces on average, at most "
            f"{len(statistics.word_lengths) - 1}; "
            f"{_percent(1 - statistics.word_lengths[1] / words)} have several",
        )
    ]


def _percent(share):
    return f"{100 * share:.1f} %"


def _draw(statistics, title):
    """The diagrams as the bytes of a PNG."""
    figures = importlib.import_module("matplotlib.figure")
    draw = [_draw_lengths, _draw_words, _draw_next_sentences]
    rows, columns, size = 1, 3, (15, 4.5)
    if statistics.is_static:
        draw[1:2] = [_draw_shares, _draw_outcomes]
        rows, columns, size = 2, 2, (11, 8)
    figure = figures.Figure(figsize=size, layout="constrained")
    for panel, draw_one in zip(figure.subplots(rows, columns).flat, draw):
        draw_one(panel, statistics)
        panel.spines[["top", "right"]].set_visible(False)
        panel.set_axisbelow(True)
        panel.grid(axis="y", alpha=0.3)
    figure.suptitle(f"{title}: {statistics.counts['records']:,} examples")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110)
    return buffer.getvalue()


def _draw_lengths(panel, statistics):
    size = -(-statistics.max_length // _MAX_BARS)
    # The last bar ends at the full length.
    missing = -statistics.max_length % size
    bars = np.pad(statistics.lengths[1:], (missing, 0))
    heights = bars.reshape(-1, size).sum(axis=1)
    right = statistics.max_length + 0.5
    left = right - size * np.arange(len(heights), 0, -1)
    panel.bar(left, heights, size, align="edge", color=_COLORS["length"])
    mean = statistics.share("tokens", "records")
    panel.axvline(mean, label=f"mean {mean:.1f}", **_LINE)
    panel.set(
        title=f"Length: {_percent(statistics.short_share)} are shorter than "
        f"{statistics.max_length}",
        xlabel=f"tokens with [CLS] and [SEP] ({size} a bar)",
        ylabel="examples (log scale)",
        yscale="log",
        ylim=(0.7, None),
        xlim=(0, right + size),
    )
    panel.legend(loc="upper left")


def _draw_words(panel, statistics):
    words = statistics.counts["words"]
    bars = statistics.word_lengths[1:].copy()
    if len(bars) > _MAX_PIECES:
        bars[_MAX_PIECES - 1] = bars[_MAX_PIECES - 1 :].sum()
    lengths = np.arange(1, len(bars) + 1)[:_MAX_PIECES]
    heights = 100 * bars[:_MAX_PIECES] / words
    panel.bar(lengths, heights, color=_COLORS["words"])
    mean = statistics.share("pieces", "words")
    panel.axvline(mean, label=f"mean {mean:.2f}", **_LINE)
    panel.set(
        title=f"Words: {_percent(1 - statistics.word_lengths[1] / words)} "
        "have several pieces",
        xlabel=f"pieces of the word ({_MAX_PIECES}: or more)",
        ylabel="% of the words (log scale)",
        yscale="log",
        xticks=lengths,
    )
    panel.legend()


def _draw_shares(panel, statistics):
    step = 100 / inspection.SHARE_BINS
    examples = statistics.predicted_shares
    used = np.arange(np.flatnonzero(examples)[-1] + 1)
    heights = 100 * examples[used] / examples.sum()
    panel.bar(step * used, heights, step, color=_COLORS["predictions"])
    mean = 100 * statistics.share("predictions", "tokens")
    panel.axvline(mean, label=f"of all tokens {mean:.1f} %", **_LINE)
    panel.set(
        title="Tokens to predict",
        xlabel="% of the tokens of an example",
        ylabel="% of the examples",
        xlim=(0, None),
    )
    panel.legend()


def _draw_outcomes(panel, statistics):
    names = inspection.OUTCOMES
    heights = [100 * statistics.share(name, "predictions") for name in names]
    colors = [_COLORS[name] for name in names]
    _draw_bars(panel, [*_EXPECTED], heights, [*_EXPECTED.values()], colors)
    panel.set(
        title="What the input holds where it is predicted",
        xlabel="token in the input",
        ylabel="% of the predictions",
    )


def _draw_next_sentences(panel, statistics):
    random_next = 100 * statistics.share("random_next", "records")
    _draw_bars(
        panel,
        [f"{n}: {text}" for n, text in enumerate(inspection.NSP_MEANINGS)],
        [100 - random_next, random_next],
        [50, 50],
        [_COLORS["next"]] * 2,
    )
    panel.set(
        title="Next sentences",
        xlabel="next_sentence_labels",
        ylabel="% of the examples",
    )


def _draw_bars(panel, names, heights, expected, colors):
    bars = panel.bar(names, heights, 0.6, color=colors)
    panel.bar_label(bars, fmt="%.1f %%", padding=4)
    places = np.arange(len(names))
    label = f"BERT: {' / '.join(map(str, expected))} %"
    panel.hlines(expected, places - 0.4, places + 0.4, label=label, **_LINE)
    panel.set_ylim(0, 1.3 * max(*heights, *expected))
    panel.legend()


def _page(png, title, rows, examples):
    """One HTML page with all in it, as bytes."""
    table = "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
        for name, value in rows
    )
    marks = "".join(
        f"<li>{_span(mark, name)} {html.escape(meaning)}</li>"
        for name, mark, meaning in _MARKS
        if any(name == token.outcome for token in _tokens(examples))
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
        f'<td class="tokens">{inspection.join_tokens(tokens, form)}</td></tr>'
        for name, tokens in example.parts.items()
    )
    return (
        f"<h3>{html.escape(example.title)}</h3><table>{rows}"
        f"<tr><th>label</th><td>{html.escape(example.label)}</td></tr></table>"
    )


def _span(text, outcome):
    text = html.escape(text)
    if outcome == inspection.PLAIN:
        return text
    return f'<span class="mark" style="color:{_COLORS[outcome]}">{text}</span>'


if __name__ == "__main__":
    command_line.run(main)
