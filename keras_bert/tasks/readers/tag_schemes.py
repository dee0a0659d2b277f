"""Tag schemes (IOB1, IOB2, BIOES, BILOU and BMES) and plain tags.

A tag is "O" for words outside of entities, or a prefix and a type such as
"B-PER". Plain tags, such as parts of speech, have no prefix. The type may be
omitted if there is only one: B, I, O.
"""

import re

from absl import logging

from keras_bert import checks
from keras_bert.messages import brief
from keras_bert.tasks.readers.entities import OUTSIDE
from keras_bert.tasks.readers.entities import to_iob2

PLAIN, IOB1, IOB2, BIOES, BILOU = "plain", "IOB1", "IOB2", "BIOES", "BILOU"
BMES = "BMES"
SCHEMES = (PLAIN, IOB1, IOB2, BIOES, BILOU, BMES)

_PREFIXES = {IOB1: {*"IB"}, IOB2: {*"IB"}, BIOES: {*"BIES"}, BILOU: {*"BILU"}}
_ALL_PREFIXES = set().union(*_PREFIXES.values())
_PREFIXES[BMES] = {*"BMES"}
_RULES = {
    IOB1: "an entity is I-TYPE, I-TYPE, ..., and begins with B-TYPE only right "
    "after another one of its type",
    IOB2: "an entity is B-TYPE, I-TYPE, ...",
    BIOES: "an entity is B-TYPE, I-TYPE, ..., E-TYPE or, of one word, S-TYPE",
    BILOU: "an entity is B-TYPE, I-TYPE, ..., L-TYPE or, of one word, U-TYPE",
    BMES: "an entity is B-TYPE, M-TYPE, ..., E-TYPE or, of one word, S-TYPE",
}

_LIKE_TAGS = [
    re.compile(form, re.IGNORECASE)
    for form in (
        "(?P<prefix>[BEILMSU])[-_.:/|](?P<type>.+)",
        "(?P<type>.+)[-_.:/|](?P<prefix>[BEILMSU])",
    )
]


def find_scheme(tags, where=None):
    """Detect the tag scheme of all sentences.

    Args:
        tags: list with a list of str for each sentence.
        where: callable that maps a sentence index and a word index to a
            location for messages, such as `TaggedSentences.where`. Defaults to
            showing both indices.

    Returns:
        One of `SCHEMES`; IOB2 if all tags are "O".

    Raises:
        ValueError: the tags follow no scheme.
    """
    return _follow(tags, _candidates({x for row in tags for x in row}), where)


def is_plain(names):
    """Return True if tags (iterable of str) do not follow a tag scheme."""
    return _candidates({*names}) == [PLAIN]


def warn_if_like_scheme(names):
    """Warn about plain tags that look like a scheme, such as PER-B or b_per."""
    names = sorted({*names} - {OUTSIDE, OUTSIDE.lower()})
    for form in _LIKE_TAGS:
        matches = [form.fullmatch(name) for name in names]
        if not matches or not all(matches):
            continue
        tags = [f"{x['prefix'].upper()}-{x['type']}" for x in matches]
        if {tag[0] for tag in tags} & {*"BI"}:
            logging.warning(
                "The tags are plain tags, so `predict` returns every word and "
                "the metric is accuracy. They seem to be %s of entities: "
                "replace %r by %r, and so on.",
                _candidates({*tags})[0],
                names[0],
                tags[0],
            )
            return


def check_scheme(tags, scheme, where=None):
    """Raise ValueError unless all sentences follow a scheme.

    Args:
        tags: list with a list of str for each sentence.
        scheme: str, one of `SCHEMES`.
        where: see `find_scheme`.

    Raises:
        ValueError: a tag breaks the scheme. The message names its location and
            the previous tag.
    """
    checks.one_of(SCHEMES, scheme=scheme)
    _follow(tags, [scheme], where)


def _follow(tags, schemes, where):
    """Return the first of the schemes that all sentences follow."""
    where, faults = where or by_indices, []
    for scheme in schemes:
        fault = None if scheme == PLAIN else _first_fault(tags, scheme, where)
        if fault is None:
            return scheme
        faults.append(fault)
    advice = (
        "Pass on_stray_tag='repair' (to `read_conll`) to let such a tag begin "
        "an entity."
    )
    position = _first_without_type(tags)
    if position is not None:
        tag = tags[position[0]][position[1]]
        advice = (
            f"At {where(*position)}, {brief(tag)} has no type, unlike B-PER."
        )
    raise ValueError(
        f"Tags must follow {' or '.join(schemes)} throughout. "
        f"Received: {'; '.join(faults)}. {advice}"
    )


def without_stray_tags(tags, where=None):
    """Repair tags so that each tag that breaks the scheme begins an entity.

    Args:
        tags, where: see `find_scheme`.

    Returns:
        The tags, converted to IOB2 if one is repaired, otherwise unchanged.

    Raises:
        ValueError: a tag breaks the scheme, and a tag has no entity type.
    """
    try:
        find_scheme(tags, where)
    except ValueError:
        if _first_without_type(tags):
            raise
        return tuple(tuple(to_iob2(row)) for row in tags)
    return tags


def by_indices(sentence, word):
    """Return a word's location for messages, given its indices."""
    return f"sentence {sentence}, word {word} (counted from 0)"


def _candidates(distinct):
    """Return the schemes that tags may follow, the most likely first."""
    letters = {tag[0] for tag in distinct if tag[1:2] == "-"}
    prefixes = letters & _ALL_PREFIXES
    if not prefixes:
        # Single letters are tags of entities without types, unless they segment
        # the whole text into words (B, E and S).
        prefixes = distinct - {OUTSIDE}
        is_outside = OUTSIDE in distinct or "I" in distinct
        if not prefixes <= _ALL_PREFIXES or (prefixes and not is_outside):
            return [PLAIN]
    if "M" in letters and prefixes <= {*"BES"}:
        return [BMES]
    if prefixes & {*"ES"}:
        return [BIOES]
    if prefixes & {*"LU"}:
        return [BILOU]
    return [IOB2, IOB1]


def _first_fault(tags, scheme, where):
    """Describe the first tag that breaks a scheme, or return None."""
    are_typed = _are_typed(tags)
    for sentence, row in enumerate(tags):
        pairs = zip([OUTSIDE, *row], [*row, OUTSIDE], strict=True)
        for word, pair in enumerate(pairs):
            if _may_follow(*pair, scheme, are_typed):
                continue
            before, tag = map(repr, pair)
            if word == len(row):
                word, tag = word - 1, "the end of the sentence"
            elif word == 0:
                before = "the beginning of the sentence"
            location = where(sentence, word)
            return (
                f"{location}: {tag} after {before} ({scheme}: {_RULES[scheme]})"
            )
    return None


def _may_follow(before, tag, scheme, are_typed):
    """Return True if a tag of a scheme may follow a valid tag."""
    prefix, _, type_ = tag.partition("-")
    prefix_before, _, type_before = before.partition("-")
    has_type = type_ or (tag == prefix and not are_typed)
    if tag != OUTSIDE and not (prefix in _PREFIXES[scheme] and has_type):
        return False
    continues_entity = OUTSIDE not in (tag, before) and type_ == type_before
    if scheme == IOB1:
        return prefix != "B" or continues_entity
    if scheme == IOB2:
        return prefix != "I" or continues_entity
    is_open = prefix_before in {"B", "I", "M"}
    continues = prefix in {"I", "M", "E", "L"}
    return is_open == continues and (continues_entity or not continues)


def _are_typed(tags):
    """Return True if any tag has an entity type."""
    return any("-" in tag for row in tags for tag in row)


def _first_without_type(tags):
    """Return the indices of the first tag without a type, or None."""
    if not _are_typed(tags):
        return None
    for sentence, row in enumerate(tags):
        for word, tag in enumerate(row):
            if tag != OUTSIDE and not tag.partition("-")[2]:
                return sentence, word
    return None
