"""What a user gives as tagged sentences, in one form."""

from keras_bert.data.labelled.conll import TaggedSentences
from keras_bert.data.labelled.entities import to_iob2
from keras_bert.data.labelled.tag_schemes import IOB2
from keras_bert.data.labelled.tag_schemes import PLAIN
from keras_bert.data.labelled.tag_schemes import by_indices
from keras_bert.data.labelled.tag_schemes import find_scheme
from keras_bert.tasks.fine_tuning.columns import as_list
from keras_bert.tasks.tags.sentences import check_rows_of_tags
from keras_bert.tasks.tags.sentences import check_sentences
from keras_bert.tasks.tags.sentences import check_tags


def tagged_words(sentences, tags=None):
    """Words and tags that may come together.

    Args:
        sentences: `TaggedSentences`, or a list with a list of str for each
            sentence.
        tags: list with a list of str for each sentence; None with
            `TaggedSentences`.

    Returns:
        The words and the tags, lists of lists of str, and a function from the
        index of a sentence and that of a word to its place for messages.

    Raises:
        ValueError: they are no such lists, or there is no word.
    """
    if isinstance(sentences, TaggedSentences) and tags is None:
        return sentences.words, sentences.tags, sentences.where
    if tags is None:
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
    """As of `tagged_words`, the tags without the words."""
    if isinstance(tags, TaggedSentences):
        return tags.tags, tags.where
    tags = as_list(tags)
    check_rows_of_tags(tags)
    return tags, by_indices


def in_iob2(tags, where):
    """Brings tags of entities into IOB2; plain ones stay.

    Args:
        tags: list with a list of str for each sentence.
        where: as of `find_scheme`.

    Returns:
        A list with a list of str for each sentence.

    Raises:
        ValueError: they follow no scheme.
    """
    if find_scheme(tags, where) in (PLAIN, IOB2):
        return [[*row] for row in tags]
    return [to_iob2(row) for row in tags]
