"""Conversion between tags and entities."""

import typing

OUTSIDE = "O"

_BEGINNING = {*"BSU"}


class Entity(typing.NamedTuple):
    """Named entity in a sentence.

    Args:
        label: str, entity type, such as "PER".
        first: int, index of the first word.
        last: int, index of the last word, inclusive.
    """

    label: str
    first: int
    last: int


def find_entities(tags):
    """List the entities of one sentence.

    Args:
        tags: list of str in any scheme of `tag_schemes` except plain. A tag
            that does not continue an entity begins a new one. The label of tags
            without a type, such as B and I, is "".

    Returns:
        A list of `Entity`, in order.
    """
    entities = []
    label_before = None
    for index, tag in enumerate(tags):
        prefix, _, label = tag.partition("-")
        if tag != OUTSIDE:
            if prefix in _BEGINNING or label != label_before:
                entities.append(Entity(label, index, index))
            else:
                entities[-1] = entities[-1]._replace(last=index)
        label_before = None if tag == OUTSIDE else label
    return entities


def entity_tags(label):
    """Return the B- and I- tags of an entity type."""
    return [f"{prefix}-{label}" if label else prefix for prefix in "BI"]


def to_iob2(tags):
    """Convert the tags of one sentence to IOB2.

    Args:
        tags: see `find_entities`.

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
    """Convert the tags of one sentence to IOB1, like `to_iob2`."""
    tags = to_iob2(tags)
    befores = [OUTSIDE, *tags[:-1]]
    return [
        f"I{tag[1:]}"
        if tag[0] == "B" and (before == OUTSIDE or before[1:] != tag[1:])
        else tag
        for before, tag in zip(befores, tags, strict=False)
    ]


def locate_entities(entities, text, spans, probabilities):
    """Return entities as dicts with their offsets in the text.

    Args:
        entities: list of `Entity`.
        text: str.
        spans: list with the (start, end) character offsets of each word, as
            returned by `find_words`.
        probabilities: float array `(num_words,)`, probability of the tag of
            each word.

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
