"""Turns documentation markup (RST, Markdown, docstrings) into sentences."""

import inspect
import re
from collections.abc import Iterable
from collections.abc import Iterator

from keras_bert.text.sentences import split_sentences

# Sections that list names, not thoughts: dropped with all that they hold.
_LIST_SECTION = re.compile(
    r"(?:(?:Other |Keyword |Call |Optional |Constructor |Input |Output )?"
    r"(?:Args?|Arguments?|Params?|Parameters?)|Returns?|Yields?|Receives?|"
    r"Raises?|Throws|Exceptions?|Warns|Attributes?|Properties|Members|Fields|"
    r"Methods|Functions|Classes|Constants|Examples?|Usage|Usage examples?|"
    r"Example usage|See [Aa]lso|References?|(?:Input|Output)s?(?: shapes?)?|"
    r"Shapes?|Signature|Todo|TODO|License|Copyright|Authors?|Contributors|"
    r"Changelog|Installation|Links|Citation|Contents|Table of Contents)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"(?:\*\*)?(\w[\w /]{0,30}):{1,2}(?:\*\*)?")
_UNDERLINE = re.compile(r"([-=~^*#`+])\1{2,}$")
_HASH_HEADING = re.compile(r"#{1,6} +(.+?)[ #]*$")
_TABLE = re.compile(r"\s*(?:\||\+[-=+]{3,}|[=-]{2,}(?: +[=-]{2,})+$|<[a-z/!])")
_OPENS_DROPPED = re.compile(r":\w[^:`]*:(?!`)|@\w+\b|\.\.(?: |$)|__ ")
_ADMONITION = re.compile(
    r"\.\. +(?:note|warning|tip|important|caution|attention|hint|seealso)::"
)
_BULLET = re.compile(r"(?:[-*+•]|\(?(?:\d{1,2}|[a-z])[.)]) +")
_FENCE = re.compile(r"\s*(```|~~~)")
_PROMPT = re.compile(r"\s*(?:>>>|In \[|\$ )")

# (what a sentence must hold for the rule to apply, pattern, replacement);
# looking for the first is what makes the many rules fast.
_MARKUP = [
    (literal, re.compile(pattern), replacement)
    for literal, pattern, replacement in [
        ("![", r"!\[[^\]]*\]\([^)]*\)", ""),  # images
        ("](", r"\[([^\]]+)\]\([^)]*\)", r"\1"),  # Markdown links
        ("][", r"\[([^\]]+)\]\[[^\]]*\]", r"\1"),
        (":`", r":[a-z][\w:+-]*:`", "`"),  # roles
        (" <", r"`([^`<]+?)\s*<[^`>]*>`_*", r"\1"),  # RST links
        ("]_", r"\s*\[[\w#*]{1,8}\]_+", ""),  # footnotes
        ("`", r"`([^`'\s]{1,40})'(?!\w)", r"'\1'"),  # `mixed' quotes
        ("`", r"(`+)[!~.]*([^`]+?)\1(?:__?\b)?", r"\2"),  # code
        ("``", r"``", '"'),
        ("''", r"''", '"'),
        ("*", r"(?<!\w)(\*\*?)(?=\S)([^*]+?)(?<=\S)\1(?!\w)", r"\2"),
        ("_", r"(?<!\w)(__?)([A-Za-z][^_]*[a-z.])\1(?!\w)", r"\2"),
        ("()", r"(?<=\w)\(\)", ""),  # close() reads as close
        ("--", r"\s*(?<!-)-{2,3}(?!-)\s*", " - "),
        (": ", r"^(?:NOTE|Note|WARNING|Warning|Tip|IMPORTANT)s?: +", ""),
    ]
]
_PLAIN_MARKS = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")

# What prose does not hold: a sentence with one of these is code or cut short.
_CODE = re.compile(
    r"[=<>{}\\|^~$@#*`\[\]]|://|www\.|\w\((?!e?s\)|ies\))|__|\w_(?!\w)"
    r"|:[a-z-]+:|::|\.\.|,,|;;| [,;:!?)]|\( |\(,| \.(?!\w)| ['\"] "
    r"|TODO|XXX|FIXME|\w/\w+/|\(c\)|[Cc]opyright"
)
_PLAIN_WORD = re.compile(r"[(\"']*[A-Z]?[a-z]+(?:'[a-z]+)?[.,;:!?)\"']*")
_FUNCTION_WORDS = frozenset(
    "the a an of to in is are be and or for with that this it as by on from "
    "at if not can will was which when has have".split()
)
_FIRST = re.compile(r"[\"'(]?[A-Z]")
_LAST = re.compile(r"[.!?][\"')]*$")


def clean_sentences(documentation: str) -> list[str]:
    r"""Keeps the English sentences of a docstring, README or long description.

    Code, doctests, tables, parameter lists and headings are dropped, markup
    is removed from what is left, and only whole sentences of plain words are
    kept.

    Args:
        documentation: Text in RST, Markdown or a docstring convention
            (Google, NumPy, Sphinx).

    Returns:
        Sentences in order, each on one line; empty where there is no prose.

    Example:
        >>> clean_sentences("Opens a `File` for reading.\n\n>>> open(path)")
        ['Opens a File for reading.']
    """
    sentences = []
    for paragraph in _paragraphs(documentation):
        # Splitting first lets backticks show where a sentence may begin.
        for sentence in split_sentences(paragraph.translate(_PLAIN_MARKS)):
            sentence = _without_markup(sentence)
            if _is_prose(sentence):
                sentences.append(sentence)
    return sentences


def _without_markup(sentence: str) -> str:
    for literal, pattern, replacement in _MARKUP:
        if literal in sentence:
            sentence = pattern.sub(replacement, sentence)
    return sentence.strip()


def _is_prose(sentence: str) -> bool:
    """Tells a plain English sentence from code, fragments and other tongues."""
    if not (_FIRST.match(sentence) and _LAST.search(sentence)):
        return False
    if not sentence.isascii() or _CODE.search(sentence):
        return False
    if sentence.count("(") != sentence.count(")") or sentence.count('"') % 2:
        return False
    words = sentence.split()
    if not 4 <= len(words) <= 80:
        return False
    if _FUNCTION_WORDS.isdisjoint(sentence.lower().split()):
        return False
    plain = sum(_PLAIN_WORD.fullmatch(word) is not None for word in words)
    return plain >= 0.75 * len(words)


def _paragraphs(documentation: str) -> Iterator[str]:
    """Joins the lines of prose into paragraphs, without the other lines."""
    if "\n" not in documentation:
        yield documentation.strip()
        return
    lines = inspect.cleandoc(documentation).split("\n")
    lines = _without_fenced(_without_doctests(lines))
    lines = _without_nested(_without_sections(list(lines)))
    paragraph: list[str] = []
    depth = 0  # where the next line of this paragraph begins
    for line in lines:
        text = line.lstrip()
        bullet = _BULLET.match(text)
        indent = len(line) - len(text)
        if paragraph and (not text or bullet or indent != depth):
            yield " ".join(paragraph)
            paragraph = []
        if text:
            depth = indent + (bullet.end() if bullet else 0)
            paragraph.append(text[bullet.end() :] if bullet else text)
    if paragraph:
        yield " ".join(paragraph)


def _without_doctests(lines: Iterable[str]) -> Iterator[str]:
    """Drops each prompt and what follows it up to a blank line."""
    inside = False
    for line in lines:
        inside = bool(_PROMPT.match(line)) or (inside and bool(line.strip()))
        if not inside:
            yield line.rstrip()


def _without_fenced(lines: Iterable[str]) -> Iterator[str]:
    """Drops code between fences, tables, and lines of HTML."""
    fence = None
    for line in lines:
        match = _FENCE.match(line)
        if match and fence in (None, match[1]):
            fence = None if fence else match[1]
        elif fence is None:
            yield "" if _TABLE.match(line) else line


def _without_sections(lines: list[str]) -> Iterator[str]:
    """Drops headings, and the sections among them that are lists of names."""
    dropping = False
    underlines = [bool(_UNDERLINE.match(line.lstrip())) for line in lines]
    for number, line in enumerate(lines):
        heading = _HASH_HEADING.match(line)
        underlined = any(underlines[number + 1 : number + 2]) and line
        if heading or underlined:
            title = heading[1] if heading else line.strip()
            dropping = bool(_LIST_SECTION.fullmatch(title.rstrip(":")))
        elif not dropping and not underlines[number]:
            yield line
            continue
        yield ""


def _without_nested(lines: Iterable[str]) -> Iterator[str]:
    """Drops directives, fields and labelled lists with what they contain.

    What a line contains are the deeper lines after it.
    """
    opener = -1  # indent of the line whose contents are dropped, or -1
    after_colon = False
    for line in lines:
        text = line.lstrip()
        indent = len(line) - len(text)
        if not text:
            yield ""
            continue
        if after_colon and _BULLET.match(text):
            opener = -1
        after_colon = False
        if 0 <= opener < indent:
            continue
        opener = -1
        label = _LABEL.fullmatch(text)
        if _OPENS_DROPPED.match(text) and not _ADMONITION.match(text):
            opener = indent
            yield ""
        elif label and _LIST_SECTION.fullmatch(label[1]):
            opener = indent
            yield ""
        elif label or _ADMONITION.match(text):
            yield ""
        else:
            if text.endswith(":"):
                opener, after_colon = indent, True
            yield line
