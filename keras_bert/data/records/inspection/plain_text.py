"""A summary and examples for a terminal."""

import textwrap

from keras_bert.data.records.inspection.outcomes import MARKS
from keras_bert.data.records.inspection.shown_examples import join_tokens

_LINE_WIDTH = 80


def summary_text(rows):
    """The rows of `summary_rows` as lines of text."""
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def examples_text(examples, is_static):
    """Examples as lines of text.

    Args:
        examples: list of `ShownExample`.
        is_static: bool, whether they hold predictions.
    """
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
