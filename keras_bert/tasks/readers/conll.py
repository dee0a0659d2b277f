"""Read and write tagged sentences in CoNLL format."""

import dataclasses
import io
import itertools
import re

from absl import logging

from keras_bert import checks
from keras_bert.files.rows import read_lines
from keras_bert.summary import Summarized
from keras_bert.tasks.readers.entities import OUTSIDE
from keras_bert.tasks.readers.tag_schemes import without_stray_tags
from keras_bert.typing import Path

_START = "-DOCSTART-"
_WHITE = " \t\n"
_SHOWN = 60
_CONLLU_COLUMNS, _UPOS = 10, 3
_UNNUMBERED = re.compile(r"\d+[-.]\d+\t")


@dataclasses.dataclass(frozen=True, repr=False)
class TaggedSentences(Summarized):
    """Tagged sentences from a file.

    Args:
        path: str, path of the file.
        words: tuple with a tuple of str for each sentence.
        tags: tuple with a tuple of str for each sentence, a tag per word.
        lines: tuple with a tuple of line numbers (from 1) for each sentence.
    """

    path: str
    words: tuple
    tags: tuple
    lines: tuple

    def _facts(self):
        return {
            "path": self.path,
            "num_sentences": len(self.words),
            "num_words": sum(map(len, self.words)),
            "tags": sorted({tag for row in self.tags for tag in row}),
        }

    def where(self, sentence, word):
        """Return a word's location for messages, such as "a.conll, line 12".

        Args:
            sentence: int, index of the sentence.
            word: int, index of the word in the sentence.
        """
        return f"{self.path}, line {self.lines[sentence][word]}"

    def subset(self, indices):
        """Select sentences by index."""
        selected = [
            tuple(rows[index] for index in indices)
            for rows in (self.words, self.tags, self.lines)
        ]
        return TaggedSentences(self.path, *selected)


def read_conll(
    path: Path,
    tag_column: int | None = None,
    word_column: int | None = None,
    on_stray_tag: str = "error",
) -> TaggedSentences:
    """Read a CoNLL file: one word per line, blank lines between sentences.

    Columns are separated by tabs if the first row contains a tab, otherwise by
    spaces. Rows that begin with -DOCSTART- are skipped. If the first of three
    or more columns numbers the words, as in CoNLL-U, the second column has the
    words; ranges such as 1-2 and empty nodes such as 1.1 are skipped. So are
    comments: lines at the beginning of a sentence that begin with "#" and have
    another number of columns, or begin with "# " and do not end with a tag.

    Args:
        path: UTF-8 file, with or without a byte order mark.
        tag_column: index of the tag column, from 0, or from the end if
            negative. Defaults to the last column, or to UPOS (3) for the ten
            columns of CoNLL-U.
        word_column: index of the word column. Defaults to the first column, or
            to the second if the first numbers the words.
        on_stray_tag: how to handle tags that break the scheme, such as an I-PER
            that does not continue an entity. "error" keeps them, and training
            raises an error; "repair" lets each begin an entity, as conlleval
            does, and logs their number.

    Returns:
        `TaggedSentences`.

    Raises:
        ValueError: a row has no tag or a different number of columns, the file
            has no rows or is not UTF-8. The message names the file and the
            line.
    """
    checks.one_of(("error", "repair"), on_stray_tag=on_stray_tag)
    sentences, num_columns, is_numbered = _read_sentences(path)
    if num_columns == 1:
        raise ValueError(
            f"{path}, line {sentences[0][0][0]}, must have a word and its tag, "
            "with tabs or spaces between them. Received: one column."
        )
    word_column = _word_column(path, word_column, num_columns, is_numbered)
    if tag_column is None:
        is_conllu = is_numbered and num_columns == _CONLLU_COLUMNS
        tag_column = _UPOS if is_conllu else -1
    _check_column(path, "tag_column", tag_column, num_columns)
    if (tag_column - word_column) % num_columns == 0:
        raise ValueError(
            "`tag_column` must not be the column that holds the words, "
            f"{word_column}. Received: tag_column={tag_column}."
        )
    for number, row in itertools.chain(*sentences):
        if not row[tag_column]:
            row_text = "\t".join(row)[:_SHOWN]
            raise ValueError(
                f"{path}, line {number}, must have a tag in column "
                f"{tag_column}. Received: {row_text!r}."
            )
    lines = tuple(tuple(number for number, _ in rows) for rows in sentences)
    words, tags = (
        tuple(tuple(row[column] for _, row in rows) for rows in sentences)
        for column in (word_column, tag_column)
    )
    message = "%s: words are in column %d, tags in column %d, from 0"
    logging.info(message, path, word_column, tag_column)
    if all(word.isdecimal() for row in words for word in row):
        logging.warning(
            "%s has only numbers as words, in column %d. Pass `word_column` "
            "if the words are elsewhere.",
            path,
            word_column,
        )
    data = TaggedSentences(str(path), words, tags, lines)
    return _repaired(data) if on_stray_tag == "repair" else data


def read_words(path, word_column=None):
    """Read the words of a CoNLL file, which may have no tags.

    Args:
        path, word_column: see `read_conll`.

    Returns:
        A list with a (line number, words) pair for each sentence: the number
        of its first line and a list of str.

    Raises:
        ValueError: there is no word, or a row is invalid.
    """
    sentences, num_columns, is_numbered = _read_sentences(path)
    column = _word_column(path, word_column, num_columns, is_numbered)
    return [
        (sentence[0][0], [row[column] for _, row in sentence])
        for sentence in sentences
    ]


def conll_text(*columns):
    """Return the content of a CoNLL file.

    Args:
        *columns: lists with a list of str for each sentence: first the words,
            then columns such as tags.

    Returns:
        str, with tabs between columns and a blank line after each sentence.
    """
    return "".join(
        "".join("\t".join(row) + "\n" for row in zip(*sentence, strict=True))
        + "\n"
        for sentence in zip(*columns, strict=True)
    )


def _read_sentences(path):
    """Read the rows of a file, grouped into sentences.

    Returns:
        A list with a list of (line number, list of str) for each sentence; the
        number of columns; and whether the first column numbers the words.
    """
    lines = [*io.StringIO("".join(read_lines(path)), newline=None)]
    rows = []
    for number, line in enumerate(lines, start=1):
        row = line.strip(_WHITE)
        rows.append((number, "" if row.startswith(_START) else row))
    # Group consecutive rows that are not empty.
    runs = itertools.groupby(rows, lambda pair: bool(pair[1]))
    sentences = [[*run] for is_sentence, run in runs if is_sentence]
    sentences, cut = _without_comments(sentences)
    if not sentences:
        raise ValueError(
            f"{path} must contain lines with a word and its tag. It has none."
        )
    first_number, first = sentences[0][0]
    num_columns = len(cut(first))
    numbered = [
        [pair for pair in sentence if not _UNNUMBERED.match(pair[1])]
        for sentence in sentences
    ]
    is_numbered = num_columns > 2 and all(
        [cut(row)[0] for _, row in sentence]
        in ([*map(str, range(n, n + len(sentence)))] for n in (0, 1))
        for sentence in numbered
    )
    cells = [
        [(number, cut(row)) for number, row in sentence]
        for sentence in (numbered if is_numbered else sentences)
    ]
    for number, row in itertools.chain(*cells):
        if len(row) != num_columns:
            raise ValueError(
                f"{path}, line {number}, must have {num_columns} columns, "
                f"like line {first_number}. Received: {len(row)} columns in "
                f"{lines[number - 1].strip(_WHITE)[:_SHOWN]!r}."
            )
    return [*filter(None, cells)], num_columns, is_numbered


def _without_comments(sentences):
    """Drop comments above sentences; return the rest and a function for cells.

    A comment begins with "#" and has another number of cells than a word, or
    begins with "# " and ends with no tag of the file.
    """
    rows = [row for _, row in itertools.chain(*sentences)]
    words = [row for row in rows if row[0] != "#"] or rows
    cut = re.compile("\t" if words and "\t" in words[0] else " +").split
    num_columns = len(cut(words[0])) if words else 0
    tags = {OUTSIDE}.union(cut(row)[-1] for row in words if row[0] != "#")

    def is_comment(pair):
        cells = cut(pair[1])
        is_like_word = len(cells) == num_columns and (
            pair[1][:2] not in ("# ", "#\t") or cells[-1] in tags
        )
        return pair[1][0] == "#" and not is_like_word

    rest = [[*itertools.dropwhile(is_comment, x)] for x in sentences]
    return [*filter(None, rest)], cut


def _word_column(path, column, num_columns, is_numbered):
    if column is None:
        return 1 if is_numbered else 0
    _check_column(path, "word_column", column, num_columns)
    return column


def _check_column(path, name, column, num_columns):
    if not -num_columns <= column < num_columns:
        raise ValueError(
            f"`{name}` must be the index of a column of {path}, from "
            f"{-num_columns} to {num_columns - 1}. Received: {name}={column}."
        )


def _repaired(data):
    """Return the sentences after letting each stray tag begin an entity."""
    tags = without_stray_tags(data.tags, data.where)
    pairs = zip(data.tags, tags, strict=True)
    changed = [x != y for row in pairs for x, y in zip(*row, strict=True)]
    if any(changed):
        lines = itertools.chain(*data.lines)
        logging.warning(
            "%s: %d tags do not follow a scheme, the first on line %d. Each "
            "is read as the beginning of an entity, as in conlleval.",
            data.path,
            sum(changed),
            next(itertools.compress(lines, changed)),
        )
    return dataclasses.replace(data, tags=tags)
