"""Docstrings are Markdown, as Keras's are; Sphinx reads reStructuredText."""

import re

_CODE = re.compile(r"(?<![`\\])`([^`]+)`(?!`)")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)\s]+)\)")
_EXAMPLE = re.compile(r"^Examples?:$", re.MULTILINE)
_PROMPTS = (">>> ", "... ")


def to_restructured_text(text):
    """Turns links and code of a paragraph into reStructuredText's."""
    text = _EXAMPLE.sub(".. rubric:: Example", text)
    return _LINK.sub(r"`\1 <\2>`__", _CODE.sub(r"``\1``", text))


def _process(app, what, name, value, options, lines):
    paragraphs = "\n".join(lines).split("\n\n")
    lines[:] = "\n\n".join(
        text
        if text.lstrip().startswith(_PROMPTS)
        else to_restructured_text(text)
        for text in paragraphs
    ).split("\n")


def setup(app):
    # Before napoleon, which makes directives of sections.
    app.connect("autodoc-process-docstring", _process, priority=400)
    return {"parallel_read_safe": True}
