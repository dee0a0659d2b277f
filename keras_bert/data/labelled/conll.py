"""Tagged sentences in columns, as of the CoNLL shared tasks."""

import dataclasses
import io
import re

from keras_bert.data.labelled.whole_text import read_text

_DOCUMENT_START = "-DOCSTART-"
_WHITE = " \t\n"
_SHOWN = 60


@dataclasses.dataclass(frozen=True)
class TaggedSentences:
    """The sentences of a file.

    Args:
        path: str, the file.
        words: tuple with a tuple of str for each sentence.
        tags: the same for the tags, one for each word.
        lines: the same for the numbers of the lines, from 1.
    """

    path: str
    words: tuple
    tags: tuple
    lines: tuple

    def where(self, sentence, word):
        """The place of a word for a message: "train.conll, line 12".

        Args:
            sentence: int, index of the sentence.
            word: int, index of the word in it.
        """
        return f"{self.path}, line {self.lines[sentence][word]}"

    def part(self, indices):
        """Some of the sentences, by their indices, as `TaggedSentences`."""
        words, tags, lines = (
            tuple(rows[index] for index in indices)
            for rows in (self.words, self.tags, self.lines)
        )
        return TaggedSentences(self.path, words, tags, lines)


def read_conll(path, tag_column=-1):
    """Reads a file with a word a line and a blank line between sentences.

    Columns stand between tabs if the first row has one, between spaces
    otherwise. The first column holds the words. Rows that begin with
    -DOCSTART- are skipped, and a line of white space is a blank one.

    Args:
        path: str; UTF-8, with or without a byte order mark.
        tag_column: int, the column of the tags: counted from 0, or from the
            end if negative.

    Returns:
        `TaggedSentences`.

    Raises:
        ValueError: a row has no tag or another number of columns than the
            first, there is no row, or the file is no UTF-8. The message
            names the file and the line.
    """
    rows = [*_numbered_rows(path)]
    first = next(((number, row) for number, row in rows if row), None)
    if first is None:
        raise ValueError(
            f"{path} must hold rows of a word and its tag. Received: none."
        )
    separator = re.compile("\t" if "\t" in first[1] else " +")
    num_columns = len(separator.split(first[1]))
    _check_tag_column(f"{path}, line {first[0]},", tag_column, num_columns)
    sentences = [[]]
    for number, row in rows:
        columns = separator.split(row)
        if not row:
            sentences.append([])
        elif len(columns) != num_columns:
            raise ValueError(
                f"{path}, line {number}, must have as many columns as line "
                f"{first[0]}, {num_columns}. Received: {len(columns)} in "
                f"{row[:_SHOWN]!r}."
            )
        elif not columns[tag_column]:
            raise ValueError(
                f"{path}, line {number}, must have a tag in column "
                f"{tag_column}. Received: {row[:_SHOWN]!r}."
            )
        else:
            sentences[-1].append((number, columns[0], columns[tag_column]))
    lines, words, tags = (
        tuple(tuple(row[part] for row in rows) for rows in sentences if rows)
        for part in range(3)
    )
    return TaggedSentences(str(path), words, tags, lines)


def conll_text(*columns):
    """The text of a file with a word a line.

    Args:
        *columns: each a list with a list of str for each sentence: the words,
            and then what stands beside them, such as tags.

    Returns:
        str, with tabs between columns and a blank line behind each sentence.
    """
    return "".join(
        "".join("\t".join(row) + "\n" for row in zip(*sentence)) + "\n"
        for sentence in zip(*columns)
    )


def _numbered_rows(path):
    """Yields the lines with their numbers; empty where a sentence ends."""
    lines = io.StringIO(read_text(path), newline=None)
    for number, line in enumerate(lines, start=1):
        row = line.strip(_WHITE)
        yield number, "" if row.startswith(_DOCUMENT_START) else row


def _check_tag_column(where, tag_column, num_columns):
    if num_columns == 1:
        raise ValueError(
            f"{where} must have a word and its tag, with tabs or spaces "
            "between them. Received: one column."
        )
    if tag_column in (0, -num_columns):
        raise ValueError(
            "`tag_column` must not be the first column, which holds the "
            f"words. Received: tag_column={tag_column}."
        )
    if not -num_columns < tag_column < num_columns:
        raise ValueError(
            f"{where} must have the column `tag_column`={tag_column}, counted "
            f"from 0. Received: {num_columns} columns."
        )
