"""Entities, such as names: words of a sentence that belong together."""

import typing

OUTSIDE = "O"

_BEGINNING = {*"BSU"}


class Entity(typing.NamedTuple):
    """Words that are one entity.

    Args:
        label: str, its type, such as "PER".
        first: int, index of its first word.
        last: int, index of its last word, inclusive.
    """

    label: str
    first: int
    last: int


def find_entities(tags):
    """List the entities of one sentence.

    Args:
        tags: list of str of any scheme of `tag_schemes` except plain. A tag
            that continues nothing, as models predict, begins an entity. The
            label of entities without types, such as B and I, is "".

    Returns:
        A list of `Entity`, in order.
    """
    found = []
    label_before = None
    for index, tag in enumerate(tags):
        prefix, _, label = tag.partition("-")
        if tag != OUTSIDE:
            if prefix in _BEGINNING or label != label_before:
                found.append(Entity(label, index, index))
            else:
                found[-1] = found[-1]._replace(last=index)
        label_before = None if tag == OUTSIDE else label
    return found


def entity_tags(label):
    """Return the two tags of a type of entities in IOB2."""
    return [f"{prefix}-{label}" if label else prefix for prefix in "BI"]


def to_iob2(tags):
    """Return the tags of one sentence in IOB2.

    Args:
        tags: as `find_entities` takes them.

    Returns:
        A list of str.
    """
    converted = [OUTSIDE] * len(tags)
    for label, first, last in find_entities(tags):
        begin, inside = entity_tags(label)
        converted[first] = begin
        converted[first + 1 : last + 1] = [inside] * (last - first)
    return converted


def to_iob1(tags):
    """Return the tags of one sentence in IOB1, given as in `to_iob2`."""
    tags = to_iob2(tags)
    befores = [OUTSIDE, *tags[:-1]]
    return [
        f"I{tag[1:]}"
        if tag[0] == "B" and (before == OUTSIDE or before[1:] != tag[1:])
        else tag
        for before, tag in zip(befores, tags, strict=False)
    ]


def locate_entities(entities, text, spans, probabilities):
    """Find the places of entities in their text.

    Args:
        entities: list of `Entity`.
        text: str.
        spans: list with the start and the end of each word in the text, in
            characters, as `find_words` gives them.
        probabilities: float array `(num_words,)`, of the tag of each word.

    Returns:
        A list of dicts `{"text": str, "label": str, "start": int,
        "end": int, "probability": float}` where `text` is `text[start:end]`
        and `probability` the mean over the words.
    """
    keys, located = ("text", "label", "start", "end", "probability"), []
    for label, first, last in entities:
        start, end = spans[first][0], spans[last][1]
        mean = float(probabilities[first : last + 1].mean())
        values = text[start:end], label, start, end, mean
        located.append(dict(zip(keys, values, strict=True)))
    return located
