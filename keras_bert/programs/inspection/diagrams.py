"""The numbers of a summary, drawn."""

import io

import matplotlib.figure
import numpy as np

from keras_bert.data.records.outcomes import COLORS
from keras_bert.data.records.outcomes import EXPECTED
from keras_bert.programs.inspection.reading import SHARE_BINS
from keras_bert.programs.inspection.shown_examples import NSP_MEANINGS
from keras_bert.programs.inspection.summary import percent

_PLAIN_COLOR, _WORD_COLOR, _NEXT_COLOR = "#5b6770", "#2f6db3", "#7a5c94"
_LINE = {"color": "black", "linestyle": "--"}
_MAX_BARS = 64
_MAX_PIECES = 12


def draw_diagrams(statistics, title):
    """Draw lengths, predictions or words, and next sentences, as a PNG."""
    draw = [_draw_lengths, _draw_words, _draw_next_sentences]
    rows, columns, size = 1, 3, (15, 4.5)
    if statistics.is_static:
        draw[1:2] = [_draw_shares, _draw_outcomes]
        rows, columns, size = 2, 2, (11, 8)
    figure = matplotlib.figure.Figure(figsize=size, layout="constrained")
    for panel, draw_one in zip(
        figure.subplots(rows, columns).flat, draw, strict=True
    ):
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
    panel.bar(left, heights, size, align="edge", color=_PLAIN_COLOR)
    mean = statistics.share("tokens", "records")
    panel.axvline(mean, label=f"mean {mean:.1f}", **_LINE)
    panel.set(
        title=f"Length: {percent(statistics.short_share)} are shorter than "
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
    panel.bar(lengths, heights, color=_WORD_COLOR)
    mean = statistics.share("pieces", "words")
    panel.axvline(mean, label=f"mean {mean:.2f}", **_LINE)
    panel.set(
        title=f"Words: {percent(1 - statistics.word_lengths[1] / words)} "
        "have several pieces",
        xlabel=f"pieces of the word ({_MAX_PIECES}: or more)",
        ylabel="% of the words (log scale)",
        yscale="log",
        xticks=lengths,
    )
    panel.legend()


def _draw_shares(panel, statistics):
    step = 100 / SHARE_BINS
    examples = statistics.predicted_shares
    used = np.arange(np.flatnonzero(examples)[-1] + 1)
    heights = 100 * examples[used] / examples.sum()
    panel.bar(step * used, heights, step, color=_PLAIN_COLOR)
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
    heights = [100 * statistics.share(x, "predictions") for x in EXPECTED]
    names, expected = zip(*EXPECTED.values(), strict=True)
    _draw_bars(panel, names, heights, expected, [*COLORS.values()])
    panel.set(
        title="What the input holds where it is predicted",
        xlabel="token in the input",
        ylabel="% of the predictions",
    )


def _draw_next_sentences(panel, statistics):
    not_next = 100 * statistics.share("not_next", "records")
    _draw_bars(
        panel,
        [f"{n}: {text}" for n, text in enumerate(NSP_MEANINGS)],
        [100 - not_next, not_next],
        [50, 50],
        _NEXT_COLOR,
    )
    panel.set(
        title="Next sentences",
        xlabel="next_sentence_labels",
        ylabel="% of the examples",
    )


def _draw_bars(panel, names, heights, expected, color):
    bars = panel.bar(names, heights, 0.6, color=color)
    panel.bar_label(bars, fmt="%.1f %%", padding=4)
    places = np.arange(len(names))
    label = f"BERT: {' / '.join(map(str, expected))} %"
    panel.hlines(expected, places - 0.4, places + 0.4, label=label, **_LINE)
    panel.set_ylim(0, 1.3 * max(*heights, *expected))
    panel.legend()
