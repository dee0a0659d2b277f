"""Sentence splitter for English, based on a pattern and word lists."""

import re

# A sentence-ending mark, closing punctuation, one space, then a possible
# sentence start: a capital, a digit, code in backticks or with_underscores.
_CANDIDATE = re.compile(
    r"[.!?…][\"'”’»)\]*_`´]* "
    r"(?=[\"'“‘«(\[*_—-]*(?:`|[^\W_a-zß-öø-ÿ]|[a-z]+_\w))"
)
_LAST_WORD = re.compile(r"[^\W_][\w.&'’-]*$")
_NUMBER_FOLLOWS = re.compile(r"[\[(]*(?:\d|[IVXLC]+\b)")
_NEXT_WORD = re.compile(r"[\W_]*([^\W\d_]+\b)(?!\.)")
# One capital, or letters with periods between them: "J", "S.-C", "U.S", "a.m".
_INITIALS = re.compile(
    r"(?:[^\W\d_]\.-?)+[^\W\d_]$|[^\W\d_a-zß-öø-ÿ]$|Ph\.D$|[JS]r$|Esq$"
)
_LIST_MARK = re.compile(r"[\"'“‘(]*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})\.$")

# Abbreviations that never end a sentence.
_ABBREVIATIONS = frozenset(
    "mr mrs ms messrs mme mlle dr prof rev revd hon st ste capt captn col "
    "gen lieut lt sergt sgt maj cpl adm gov sen rep pres supt insp fr bros "
    "e.g i.e eg ie cf c.f viz vs v.s resp approx ca incl esp aka a.k.a w.r.t "
    "al mt ft cap comm".split()
)
# Abbreviations if a number follows; otherwise they may be words.
_NUMBERED = frozenset(
    "no nos fig figs eq eqs eqn eqns sec secs sect ch chap vol vols p pp art "
    "ref refs def thm prop lem cor ex alg app tab par jan feb mar apr jun jul "
    "aug sep sept oct nov dec op ver v".split()
)
# Words that begin a sentence even after a letter that may be an initial.
_OPENERS = frozenset(
    "A After All Also Although An And Any As At Because Before Both But By "
    "Can Do Does Each Every For From Given Has He Her Here His How However "
    "I If In Instead Is It Its Let Like Many May More Most Must My No Not Note "
    "Of On Once One Only Or Other Otherwise Our Returns See Set She Should "
    "Since So Some Such Supported That The Their Then There Therefore These "
    "They This Those Though Thus To Unless Unlike Until Use Used Uses Using "
    "We What When Where Whether Which While Who Why Will With Yes Yet You "
    "Your".split()
)


def split_sentences(paragraph: str) -> list[str]:
    """Split an English paragraph into sentences.

    Runs of white space and line breaks become one space. Nothing else changes:
    joining the sentences with spaces restores the paragraph.

    Args:
        paragraph: a single paragraph. If it contains several, the last
            sentence of one may be joined with the first of the next.

    Returns:
        The sentences in order; no sentence is empty.

    Example:

    >>> keras_bert.text.split_sentences("Mr. Smith paid $3.50. He left.")
    ['Mr. Smith paid $3.50.', 'He left.']
    """
    text = " ".join(paragraph.split())
    sentences = []
    start = 0
    for candidate in _CANDIDATE.finditer(text):
        end = candidate.end()
        if _is_boundary(text, start, candidate.start(), end):
            sentences.append(text[start : end - 1])
            start = end
    if start < len(text):
        sentences.append(text[start:])
    return sentences


def _is_boundary(text: str, start: int, stop: int, end: int) -> bool:
    """Return whether the punctuation mark at `stop` ends the sentence."""
    if text[stop] != ".":
        return True
    if end - start < 8 and _LIST_MARK.match(text[start : end - 1]):
        return False
    match = _LAST_WORD.search(text, max(start, stop - 20), stop)
    if match is None:  # the period follows a space, a bracket, another period
        return not (text[stop - 1] in " ." and text[end].isdigit())
    word = match[0]
    if word.lower() in _ABBREVIATIONS:
        return False
    if word.lower() in _NUMBERED and _NUMBER_FOLLOWS.match(text, end):
        return False
    if word != "I" and _INITIALS.match(word):
        next_word = _NEXT_WORD.match(text, end)
        return next_word is not None and next_word[1] in _OPENERS
    return True
