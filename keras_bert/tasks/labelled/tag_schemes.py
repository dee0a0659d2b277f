"""Schemes of tags that say where entities begin and end.

Each tag is "O", for words outside of entities, or a prefix and a type such as
"B-PER". Plain tags, such as parts of speech, have no prefix: each word is
labelled by itself. Entities of a single type may go without it: B, I, O.
"""

from keras_bert import checks
from keras_bert.tasks.labelled.entities import OUTSIDE
from keras_bert.tasks.labelled.entities import to_iob2

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


def find_scheme(tags, where=None):
    """Finds out which scheme all sentences follow.

    Args:
        tags: list with a list of str for each sentence.
        where: function from the index of a sentence and that of a word to
            the name of the place in messages, such as
            `TaggedSentences.where`; it names the two indices by default.

    Returns:
        One of `SCHEMES`; IOB2 where all tags are "O".

    Raises:
        ValueError: they follow none.
    """
    return _follow(tags, _candidates({x for row in tags for x in row}), where)


def is_plain(names):
    """Tell if different tags, an iterable of str, are plain ones."""
    return _candidates({*names}) == [PLAIN]


def check_scheme(tags, scheme, where=None):
    """Checks that all sentences follow a scheme.

    Args:
        tags: list with a list of str for each sentence.
        scheme: str, one of `SCHEMES`.
        where: as `find_scheme` takes it.

    Raises:
        ValueError: a tag does not follow it. The message names its place and
            the tag before.
    """
    checks.one_of(SCHEMES, scheme=scheme)
    _follow(tags, [scheme], where)


def _follow(tags, schemes, where):
    """Return the first of some schemes that all sentences follow."""
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
    place = _first_without_type(tags)
    if place is not None:
        tag = tags[place[0]][place[1]]
        advice = f"At {where(*place)}, {tag!r} has no type, such as B-PER has."
    raise ValueError(
        f"Tags must follow {' or '.join(schemes)} throughout. "
        f"Received: {'; '.join(faults)}. {advice}"
    )


def without_stray_tags(tags, where=None):
    """Let each tag that follows no scheme begin an entity.

    Args:
        tags, where: see `find_scheme`.

    Returns:
        The tags, in IOB2 if one of them is stray and unchanged otherwise.

    Raises:
        ValueError: a tag is stray, and one has no type.
    """
    try:
        find_scheme(tags, where)
    except ValueError:
        if _first_without_type(tags):
            raise
        return tuple(tuple(to_iob2(row)) for row in tags)
    return tags


def by_indices(sentence, word):
    """The place of a word for a message, by its indices."""
    return f"sentence {sentence}, word {word} (counted from 0)"


def _candidates(distinct):
    """The schemes that tags may follow, the likeliest first."""
    letters = {tag[0] for tag in distinct if tag[1:2] == "-"}
    prefixes = letters & _ALL_PREFIXES
    if not prefixes:
        # Letters alone are entities without types, unless they cut all of a
        # text into words, as B, E and S do.
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
    """Describe the first tag that breaks a scheme, or None."""
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
            place = where(sentence, word)
            return f"{place}: {tag} after {before} ({scheme}: {_RULES[scheme]})"
    return None


def _may_follow(before, tag, scheme, are_typed):
    """Tell if a tag is one of a scheme and may stand after a good one."""
    prefix, _, type_ = tag.partition("-")
    prefix_before, _, type_before = before.partition("-")
    has_type = type_ or (tag == prefix and not are_typed)
    if tag != OUTSIDE and not (prefix in _PREFIXES[scheme] and has_type):
        return False
    goes_on = OUTSIDE not in (tag, before) and type_ == type_before
    if scheme == IOB1:
        return prefix != "B" or goes_on
    if scheme == IOB2:
        return prefix != "I" or goes_on
    is_open = prefix_before in {"B", "I", "M"}
    continues = prefix in {"I", "M", "E", "L"}
    return is_open == continues and (goes_on or not continues)


def _are_typed(tags):
    """Tell if any tag has a type; then all entities need one."""
    return any("-" in tag for row in tags for tag in row)


def _first_without_type(tags):
    """The indices of the first tag that lacks a type; None of none."""
    if not _are_typed(tags):
        return None
    for sentence, row in enumerate(tags):
        for word, tag in enumerate(row):
            if tag != OUTSIDE and not tag.partition("-")[2]:
                return sentence, word
    return None
