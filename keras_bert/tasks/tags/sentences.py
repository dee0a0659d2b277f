"""Words and tags that users give, checked and brought in one form."""

from keras_bert.data.labelled.conll import TaggedSentences
from keras_bert.data.labelled.entities import to_iob2
from keras_bert.data.labelled.tag_schemes import IOB2
from keras_bert.data.labelled.tag_schemes import PLAIN
from keras_bert.data.labelled.tag_schemes import by_indices
from keras_bert.data.labelled.tag_schemes import find_scheme
from keras_bert.tasks.fine_tuning.columns import INSIDE
from keras_bert.tasks.fine_tuning.columns import as_list
from keras_bert.tasks.fine_tuning.texts import brief


def check_sentences(sentences):
    """Raises ValueError unless sentences are lists of lists of words."""
    _check_lists("sentences", sentences, "words")


def check_tags(tags, sentences):
    """Raises ValueError unless each word of checked sentences has a tag."""
    _check_lists("tags", tags, "tags")
    check_lengths("tags", tags, sentences)


def check_lengths(name, tags, sentences):
    """Raises ValueError unless there are as many tags as words.

    Args:
        name: str, the argument to name in messages.
        tags: list with a list for each sentence.
        sentences: the same for the words, or for other tags of theirs.
    """
    if len(tags) != len(sentences):
        raise ValueError(
            f"`{name}` must have a list for each sentence. "
            f"Received: {len(tags)} for {len(sentences)}."
        )
    for index, (row, words) in enumerate(zip(tags, sentences, strict=True)):
        if len(row) != len(words):
            raise ValueError(
                f"`{name}` must have a tag for each word. Received: "
                f"{len(row)} for {len(words)} at index {index}."
            )


def _check_lists(name, rows, contents):
    wanted = f"`{name}` must be a list of lists of {contents}"
    if not isinstance(rows, list | tuple):
        raise ValueError(f"{wanted}. Received: {brief(rows)}.")
    for index, row in enumerate(rows):
        if not isinstance(row, list | tuple):
            raise ValueError(
                f"{wanted}. Received: {brief(row)} at index {index}."
            )
        for place, item in enumerate(row):
            if not isinstance(item, str):
                raise ValueError(
                    f"{wanted}, each a str. Received: {brief(item)} "
                    f"at index {index}, {place}."
                )


def tagged_words(sentences, tags=INSIDE):
    """Brings words and tags that may come together in one form.

    Args:
        sentences: `TaggedSentences`, or a list with a list of str for each
            sentence.
        tags: list with a list of str for each sentence; `INSIDE` with
            `TaggedSentences`.

    Returns:
        The words and the tags, lists of lists of str, and a function from the
        index of a sentence and that of a word to its place for messages.

    Raises:
        ValueError: they are no such lists, or there is no word.
    """
    if isinstance(sentences, TaggedSentences) and tags is INSIDE:
        return sentences.words, sentences.tags, sentences.where
    if tags is INSIDE:
        raise ValueError(
            "`labels` must be given: the tags, a list for each sentence. Only "
            "what `read_conll` gives has its own. Received: labels=None."
        )
    sentences, tags = as_list(sentences), as_list(tags)
    check_sentences(sentences)
    check_tags(tags, sentences)
    if not any(sentences):
        raise ValueError(
            "There must be sentences with words. "
            f"Received: {len(sentences)} sentences, 0 words."
        )
    return sentences, tags, by_indices


def rows_of_tags(tags):
    """Returns what `tagged_words` does, without the words."""
    if isinstance(tags, TaggedSentences):
        return tags.tags, tags.where
    tags = as_list(tags)
    _check_lists("tags", tags, "tags")
    return tags, by_indices


def in_iob2(tags, where):
    """Brings tags of entities into IOB2; plain ones stay.

    Args:
        tags: list with a list of str for each sentence.
        where: as `find_scheme` takes it.

    Raises:
        ValueError: they follow no scheme.
    """
    if find_scheme(tags, where) in (PLAIN, IOB2):
        return [[*row] for row in tags]
    return [to_iob2(row) for row in tags]
