"""The tags that a model knows."""

import numpy as np

from keras_bert.data.labelled.entities import OUTSIDE
from keras_bert.data.labelled.tag_schemes import is_plain
from keras_bert.tasks.tags.sentences import in_iob2
from keras_bert.tasks.tags.sentences import rows_of_tags


def tag_names(*tags):
    """Collects the tags that a model must know for some data.

    Args:
        *tags: each `TaggedSentences`, or a list with a list of str for each
            sentence, such as those to train on and those to evaluate on.

    Returns:
        A list of str: "O" and, for each type of entity, its two tags of
        IOB2, in whatever scheme they are given; or the plain tags, sorted.

    Raises:
        ValueError: the tags follow no scheme, or some are plain and some are
            of entities.
    """
    names = set()
    for part in tags:
        rows, where = rows_of_tags(part)
        names.update(*in_iob2(rows, where))
    if is_plain(names):
        return sorted(names)
    check_names(names)
    types = sorted({name[2:] for name in names - {OUTSIDE}})
    return [OUTSIDE, *(f"{prefix}-{x}" for x in types for prefix in "BI")]


def of_entities(names, tags):
    """Renames both tags of an entity where its type is to be renamed.

    Args:
        names: dict from tags or types of entities to new names, or None.
        tags: list of str, the tags that there are, or None.
    """
    renames = {}
    for old, new in (names or {}).items():
        is_type = old not in (tags or []) and f"B-{old}" in (tags or [])
        prefixes = ("B-", "I-") if is_type else ("",)
        renames.update({f"{p}{old}": f"{p}{new}" for p in prefixes})
    return renames


def check_names(names):
    """Raises ValueError unless tags are all plain, or of entities in IOB2."""
    if is_plain(names):
        return
    for name in sorted(names):
        is_inside = name[:2] in ("B-", "I-") and len(name) > 2
        if name != OUTSIDE and not is_inside:
            raise ValueError(
                "The names of tags must be O, B-TYPE and I-TYPE of entities, "
                "or all plain, without a prefix. `TokenClassifier.labels_of` "
                f"makes them of tags. Received: {name!r}."
            )


def tag_places(tags, names, where):
    """Looks tags up among the names that a model knows.

    Args:
        tags: list with a list of str for each sentence.
        names: list of str.
        where: function from the index of a sentence and that of a word to
            its place for messages.

    Returns:
        A list with an int32 array for each sentence.

    Raises:
        ValueError: a tag is none of the names; its place is named.
    """
    places = {name: place for place, name in enumerate(names)}
    for sentence, row in enumerate(tags):
        for word, tag in enumerate(row):
            if tag not in places:
                raise ValueError(
                    f"A tag must be one of {', '.join(names[:10])}. "
                    f"Received: {tag!r} at {where(sentence, word)}."
                )
    return [np.array([places[tag] for tag in row], np.int32) for row in tags]
