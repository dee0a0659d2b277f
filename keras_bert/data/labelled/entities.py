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
    """The entities of one sentence.

    Args:
        tags: list of str of any scheme of `tag_schemes` but plain. A tag
            that continues nothing, as models predict, begins an entity.

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


def to_iob2(tags):
    """The tags of one sentence in IOB2.

    Args:
        tags: as `find_entities` takes them.

    Returns:
        A list of str.
    """
    converted = [OUTSIDE] * len(tags)
    for label, first, last in find_entities(tags):
        converted[first] = f"B-{label}"
        converted[first + 1 : last + 1] = [f"I-{label}"] * (last - first)
    return converted


def locate_entities(entities, text, spans):
    """Finds the places of entities in their text.

    Args:
        entities: list of `Entity`.
        text: str.
        spans: list with the start and the end of each word in the text, in
            characters, as `find_words` gives them.

    Returns:
        A list of dicts `{"text": str, "label": str, "start": int,
        "end": int}` where `text` is `text[start:end]`.
    """
    places = [(x.label, spans[x.first][0], spans[x.last][1]) for x in entities]
    return [
        {"text": text[start:end], "label": label, "start": start, "end": end}
        for label, start, end in places
    ]
