"""Summary and examples in words, for a terminal."""

import textwrap

from keras_bert.data.records.outcomes import EXPECTED
from keras_bert.data.records.outcomes import MARKS
from keras_bert.programs.inspection.shown_examples import join_tokens

_LINE_WIDTH = 80


def summary_rows(statistics):
    """The numbers of `RecordStatistics`, as pairs of a name and a text."""
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
            f"{percent(statistics.short_share)} of the examples have fewer "
            f"than {statistics.max_length} tokens",
        ),
    ]
    rows += (_prediction_rows if statistics.is_static else _word_rows)(
        statistics
    )
    measured = percent(share("not_next", "records"))
    return [*rows, ("Not next", f"{measured} of the examples (BERT: 50 %)")]


def _prediction_rows(statistics):
    counts, share = statistics.counts, statistics.share
    padding = counts["padding"] / (counts["padding"] + counts["tokens"])
    rows = [
        ("Padding", f"{percent(padding)} of what the records hold"),
        (
            "To predict",
            f"{percent(share('predictions', 'tokens'))} of the tokens, "
            f"{counts['predictions']:,}; of these",
        ),
    ]
    for outcome, (name, expected) in EXPECTED.items():
        measured = percent(share(outcome, "predictions"))
        rows.append((f"  {name}", f"{measured} (BERT: {expected} %)"))
    return rows


def _word_rows(statistics):
    words, pieces = statistics.counts["words"], statistics.counts["pieces"]
    return [
        (
            "Words",
            f"{pieces / words:.2f} pieces on average, at most "
            f"{len(statistics.word_lengths) - 1}; "
            f"{percent(1 - statistics.word_lengths[1] / words)} have several",
        )
    ]


def percent(share):
    """A share as text."""
    return f"{100 * share:.1f} %"


def summary_text(rows):
    """The rows of `summary_rows` as lines of text."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def examples_text(examples, is_static):
    """A list of `ShownExample` as lines of text; static ones with a legend."""
    lines = []
    if is_static:
        lines += ["What the model must predict stands in brackets:"]
        lines += [f"  {mark:<15} {meaning}" for mark, meaning in MARKS.values()]
        lines += [""]
    for example in examples:
        lines += [example.title]
        for name, tokens in example.parts.items():
            lines += _wrap(f"  {name:<7}", join_tokens(tokens))
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
