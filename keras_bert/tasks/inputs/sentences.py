"""Functions that check words and tags and convert them to lists."""

import numpy as np

from keras_bert.messages import brief
from keras_bert.tasks.columns import LABELS_INCLUDED
from keras_bert.tasks.columns import as_list
from keras_bert.tasks.columns import as_rows
from keras_bert.tasks.columns import plain
from keras_bert.tasks.labels import label_indices
from keras_bert.tasks.readers.conll import TaggedSentences
from keras_bert.tasks.readers.entities import OUTSIDE
from keras_bert.tasks.readers.entities import entity_tags
from keras_bert.tasks.readers.entities import to_iob2
from keras_bert.tasks.readers.tag_schemes import IOB2
from keras_bert.tasks.readers.tag_schemes import PLAIN
from keras_bert.tasks.readers.tag_schemes import by_indices
from keras_bert.tasks.readers.tag_schemes import find_scheme
from keras_bert.tasks.readers.tag_schemes import is_plain
from keras_bert.tasks.readers.tag_schemes import warn_if_like_scheme

# Keys of words and tags, the last two as on the Hugging Face Hub.
_KEYS = (("words", "tags"), ("tokens", "tags"), ("tokens", "ner_tags"))


def as_sentences(sentences):
    """Convert sentences from any container to lists of words.

    Raises:
        ValueError: `sentences` is not a list of lists of str.
    """
    return _lists("sentences", sentences, "words")


def as_tags(tags, names=()):
    """Convert the tags of sentences from any container to lists of str.

    Args:
        tags: list with a list of str, or of indices into `names`, for each
            sentence.
        names: list of str, the labels of a model.

    Raises:
        ValueError: `tags` is not such a list, or an index is out of range.
    """
    rows = _lists("tags", tags, "tags", (str, int) if names else str)
    for index, row in enumerate(rows):
        if any(isinstance(tag, int) for tag in row):
            try:
                rows[index] = [names[n] for n in label_indices(row, names)]
            except ValueError as error:
                raise ValueError(f"`tags` at index {index}: {error}") from None
    return rows


def check_lengths(name, tags, sentences):
    """Raise ValueError unless there are as many tags as words.

    Args:
        name: str, argument name to show in error messages.
        tags: list with a list for each sentence.
        sentences: list of the same form, with words or other tags.
    """
    if len(tags) != len(sentences):
        raise ValueError(
            f"`{name}` must have a list for each sentence. Received: "
            f"{len(tags)} lists for {len(sentences)} sentences."
        )
    for index, (row, words) in enumerate(zip(tags, sentences, strict=True)):
        if len(row) != len(words):
            raise ValueError(
                f"`{name}` must have a tag for each word. Received: "
                f"{len(row)} tags for {len(words)} words at index {index}."
            )


def _lists(name, rows, contents, types=str):
    wanted = f"`{name}` must be a list of lists of {contents}"
    rows = as_list(rows, name)
    for index, row in enumerate(rows):
        if not isinstance(row, list | tuple):
            raise ValueError(
                f"{wanted}, or a column of such lists. Received: {brief(row)} "
                f"at index {index}."
            )
        rows[index] = [*map(plain, row)]
        for position, item in enumerate(rows[index]):
            if not isinstance(item, types) or isinstance(item, bool):
                raise ValueError(
                    f"{wanted} (str). Received: {brief(item)} "
                    f"at index {index}, {position}."
                )
    return rows


def tagged_words(sentences, tags=LABELS_INCLUDED, names=()):
    """Convert sentences and their tags to lists of str.

    Args:
        sentences: `TaggedSentences`, or a list with a list of str for each
            sentence.
        tags: list with a list of str, or of indices into `names`, for each
            sentence; `LABELS_INCLUDED` with `TaggedSentences`, or with rows or
            columns of words and tags.
        names: list of str, the labels of a model.

    Returns:
        Words and tags, both lists of lists of str, and a function that maps a
        sentence index and a word index to a location for messages.

    Raises:
        ValueError: an argument has the wrong format, or there is no word.
    """
    if isinstance(sentences, TaggedSentences) and tags is LABELS_INCLUDED:
        return sentences.words, sentences.tags, sentences.where
    if tags is LABELS_INCLUDED:
        rows = as_rows(sentences, _KEYS)
        if not rows or not all(isinstance(row, tuple) for row in rows):
            raise ValueError(
                "`labels` must be given: the tags, a list for each sentence. "
                "They are optional only for the result of `read_conll`, or "
                "for rows with the keys `words` and `tags`. Received: "
                "labels=None."
            )
        sentences, tags = zip(*rows, strict=True)
    sentences, tags = as_sentences(sentences), as_tags(tags, names)
    check_lengths("tags", tags, sentences)
    if not any(sentences):
        raise ValueError(
            "`sentences` must contain words. "
            f"Received: {len(sentences)} sentences, 0 words."
        )
    return sentences, tags, by_indices


def in_iob2(tags, where):
    """Convert entity tags to IOB2, leaving plain tags unchanged.

    Args:
        tags: list with a list of str for each sentence.
        where: see `find_scheme`.

    Raises:
        ValueError: the tags follow no scheme.
    """
    if find_scheme(tags, where) in (PLAIN, IOB2):
        return [[*row] for row in tags]
    return [to_iob2(row) for row in tags]


def tag_names(*tags):
    """Collect the label names that a model needs for the given tags.

    Args:
        *tags: `TaggedSentences`, or lists with a list of str for each
            sentence, such as the training and the validation data.

    Returns:
        A list of str: "O" and the two IOB2 tags of each entity type, for any
        scheme of the data; or the sorted plain tags.

    Raises:
        ValueError: the tags follow no scheme, or mix plain tags and entity
            tags.
    """
    names = set()
    for sentences in tags:
        if isinstance(sentences, TaggedSentences):
            names.update(*in_iob2(sentences.tags, sentences.where))
        else:
            names.update(*in_iob2(as_tags(sentences), by_indices))
    if is_plain(names):
        return sorted(names)
    check_names(names)
    types = sorted({name[2:] for name in names - {OUTSIDE}})
    return [OUTSIDE, *(tag for x in types for tag in entity_tags(x))]


def expand_entity_names(names, tags):
    """Expand renamed entity types into renamed B- and I- tags.

    Args:
        names: dict mapping tags or entity types to new names, or None.
        tags: list of str, the existing tags, or None.
    """
    if not isinstance(names, dict):  # `choose_labels` checks the rest.
        return names
    renames = {}
    for old, new in names.items():
        is_type = old not in (tags or []) and f"B-{old}" in (tags or [])
        prefixes = ("B-", "I-") if is_type else ("",)
        renames.update({f"{p}{old}": f"{p}{new}" for p in prefixes})
    return renames


def check_names(names):
    """Raise ValueError unless all tags are plain, or all are IOB2.

    Plain tags that look like a scheme cause a warning.
    """
    if is_plain(names):
        warn_if_like_scheme(names)
        return
    for name in sorted(names):
        if name not in (OUTSIDE, *entity_tags(name[2:])):
            raise ValueError(
                "Tag names must be O, B-TYPE and I-TYPE of entities, "
                "or all plain, without a prefix. `TokenClassifier.labels_of` "
                f"returns them for given tags. Received: {brief(name)}."
            )


def tag_indices(tags, names, where):
    """Convert tags to label indices.

    Args:
        tags: list with a list of str for each sentence.
        names: list of str, the labels of a model.
        where: callable that maps a sentence index and a word index to a
            location for messages.

    Returns:
        A list with an int32 array for each sentence.

    Raises:
        ValueError: a tag is not in `names`. The message names its location.
    """
    indices = {name: index for index, name in enumerate(names)}
    for name, index in [*indices.items()]:
        if name.startswith("I-"):  # IOB1 models may lack B- tags.
            indices.setdefault(f"B{name[1:]}", index)
    for sentence, row in enumerate(tags):
        for word, tag in enumerate(row):
            if tag not in indices:
                raise ValueError(
                    f"A tag must be one of {', '.join(names[:10])}. "
                    f"Received: {brief(tag)} at {where(sentence, word)}."
                )
    return [np.array([indices[tag] for tag in row], np.int32) for row in tags]
