"""What a user gives as words and their tags, checked before all else."""

from keras_bert.tasks.fine_tuning.texts import brief


def check_sentences(sentences):
    """Checks that sentences are lists of words.

    Args:
        sentences: what should be a list with a list of str for each sentence.

    Raises:
        ValueError: they are not; the index is named.
    """
    _check_lists("sentences", sentences, "words")


def check_tags(tags, sentences):
    """Checks that each word has a tag.

    Args:
        tags: what should be a list with a list of str for each sentence.
        sentences: the same for the words, checked.

    Raises:
        ValueError: it has none; the index is named.
    """
    check_rows_of_tags(tags)
    check_lengths("tags", tags, sentences)


def check_rows_of_tags(tags):
    """As `check_tags`, where the words are not known."""
    _check_lists("tags", tags, "tags")


def check_lengths(name, tags, sentences):
    """Checks that there are as many tags as words.

    Args:
        name: str, the argument to name in messages.
        tags: list with a list for each sentence.
        sentences: the same for the words, or for other tags of theirs.

    Raises:
        ValueError: there are not; the index is named.
    """
    if len(tags) != len(sentences):
        raise ValueError(
            f"`{name}` must have a list for each sentence. "
            f"Received: {len(tags)} for {len(sentences)}."
        )
    for index, (row, words) in enumerate(zip(tags, sentences)):
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
