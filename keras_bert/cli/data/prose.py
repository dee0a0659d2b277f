"""Extraction of sentences from RST, Markdown and docstrings."""

import inspect
import itertools
import re

from keras_bert.text.sentences import split_sentences

# Titles of sections to drop, because they list names or code.
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
_HASH_HEADING = re.compile(r"#{1,6} ")
_TABLE = re.compile(r"\||\+[-=+]{3,}|[=-]{2,}(?: +[=-]{2,})+$|<[a-z/!]")
_FIELD = re.compile(r":\w[^:`]*:(?!`)|@\w+\b|__ ")
_ADMONITION = re.compile(
    r"\.\. +(?:note|warning|tip|important|caution|attention|hint|seealso)::"
)
_BULLET = re.compile(r"(?:[-*+•]|\(?(?:\d{1,2}|[a-z])[.)]) +")
_FENCE = re.compile(r"```|~~~")
_PROMPT = re.compile(r">>>|In \[|\$ ")

# (substring that the rule requires, pattern, replacement). Checking for the
# substring first makes the rules fast.
_MARKUP = [
    (literal, re.compile(pattern), replacement)
    for literal, pattern, replacement in [
        ("![", r"!\[[^\]]*\]\([^)]*\)", ""),  # images
        ("](", r"\[([^\]]+)\]\([^)]*\)", r"\1"),  # Markdown links
        ("][", r"\[([^\]]+)\]\[[^\]]*\]", r"\1"),
        (":`", r":[a-z][\w:+-]*:`", "`"),  # roles
        (" <", r"`([^`<]+?)\s*<[^`>]*>`_*", r"\1"),  # RST links
        ("]_", r"\s*\[[\w#*]{1,8}\]_+", ""),  # footnotes
        ("`", r"`([^`'\s]{1,40})'(?!\w)", r"'\1'"),  # `mismatched' quotes
        ("`", r"(`+)[!~.]*([^`]+?)\1(?:__?\b)?", r"\2"),  # code
        ("``", r"``", '"'),
        ("''", r"''", '"'),
        ("*", r"(?<!\w)(\*\*?)(?=\S)([^*]+?)(?<=\S)\1(?!\w)", r"\2"),
        ("_", r"(?<!\w)(__?)([A-Za-z][^_]*[a-z.])\1(?!\w)", r"\2"),
        ("()", r"(?<=\w)\(\)", ""),  # close() becomes close
        ("--", r"\s*(?<!-)-{2,3}(?!-)\s*", " - "),
        (": ", r"^(?:NOTE|Note|WARNING|Warning|Tip|IMPORTANT)s?: +", ""),
    ]
]
_PLAIN_MARKS = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")

# A sentence that contains one of these is code or incomplete.
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
    r"""Return the English sentences of a docstring, README or description.

    Code, doctests, tables, parameter lists, headings and markup are dropped,
    and only whole sentences of plain words are kept.

    Args:
        documentation: Text in RST, Markdown or a docstring convention
            (Google, NumPy, Sphinx).

    Returns:
        Sentences in order, without line breaks; an empty list without prose.

    Example:
        >>> clean_sentences("Opens a `File` for reading.\n\n>>> open(path)")
        ['Opens a File for reading.']
    """
    sentences = []
    for paragraph in _paragraphs(documentation):
        # Split before the markup is removed: a backtick may begin a sentence.
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
    """Return whether a sentence is plain English, not code or a fragment."""
    words = sentence.split()
    return bool(
        _FIRST.match(sentence)
        and _LAST.search(sentence)
        and sentence.isascii()
        and not _CODE.search(sentence)
        and sentence.count("(") == sentence.count(")")
        and sentence.count('"') % 2 == 0
        and 4 <= len(words) <= 80
        and not _FUNCTION_WORDS.isdisjoint(sentence.lower().split())
        and sum(map(bool, map(_PLAIN_WORD.fullmatch, words)))
        >= 0.75 * len(words)
    )


def _paragraphs(documentation):
    """Join prose lines into paragraphs."""
    paragraph, depth = [], 0  # `depth` is the expected indent of the next line.
    for line in [*_prose_lines(documentation), ""]:
        text = line.lstrip()
        indent = len(line) - len(text)
        bullet = _BULLET.match(text)
        if paragraph and (not text or bullet or indent != depth):
            yield " ".join(paragraph)
            paragraph = []
        if text:
            depth = indent + (bullet.end() if bullet else 0)
            paragraph.append(text[bullet.end() :] if bullet else text)


def _prose_lines(documentation):
    """Yield the lines, with an empty line for each line that is not prose."""
    lines = [*inspect.cleandoc(documentation).split("\n"), ""]
    in_fence = in_doctest = in_list = False
    outer = None  # Drop lines that are indented more than this.
    for line, below in itertools.pairwise(lines):
        text, indent = line.strip(), len(line) - len(line.lstrip())
        is_fence = _FENCE.match(text)
        in_fence ^= bool(is_fence)
        is_underline = _UNDERLINE.match(text)
        is_heading = _HASH_HEADING.match(text)
        is_heading = is_heading or (text and _UNDERLINE.match(below.strip()))
        if is_heading and not in_fence:
            in_list = bool(_LIST_SECTION.fullmatch(text.strip("# :")))
        in_doctest = bool(_PROMPT.match(text)) or (in_doctest and bool(text))
        if text and outer is not None and indent <= outer:
            outer = None
        is_dropped = outer is not None or _TABLE.match(text)
        if not is_dropped and not in_fence:
            label = _LABEL.fullmatch(text)
            is_dropped = label or text.startswith("..") or _FIELD.match(text)
            keeps = _ADMONITION.match(text)
            keeps = keeps or (label and not _LIST_SECTION.fullmatch(label[1]))
            if (is_dropped and not keeps) or (
                text.endswith(":") and not is_dropped
            ):
                outer = indent
        is_dropped = is_dropped or is_heading or is_underline or is_fence
        yield "" if is_dropped or in_fence or in_doctest or in_list else line
