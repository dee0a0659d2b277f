"""Files of what a task is asked: texts, questions, choices or words."""

import dataclasses
import pathlib

from keras_bert.data.labelled.conll import read_words
from keras_bert.data.labelled.multiple_choice import num_swag_choices
from keras_bert.data.labelled.multiple_choice import swag_columns
from keras_bert.data.labelled.multiple_choice import swag_examples
from keras_bert.data.labelled.rows import read_lines
from keras_bert.data.labelled.rows import table_rows
from keras_bert.data.labelled.rows import without_end
from keras_bert.data.labelled.squad import read_squad
from keras_bert.data.labelled.tables import read_cells

_WORD_FILES = (".bio", ".conll", ".conllu", ".iob", ".iob2")


@dataclasses.dataclass(frozen=True)
class Asked:
    """A file that a task answers row by row.

    A subclass sets these attributes and the methods below that raise.

    Attributes:
        place: str, what an answer's line calls the place of its row.
        rows_at_once: int, how many are answered, and lost by a kill, together.

    Args:
        path: str.
        columns: list of str or int, those that are read; None where the form
            of the file says which.

    Raises:
        ValueError: there is no such file.
    """

    path: str
    columns: list | None = None

    place = "line"
    rows_at_once = 4096

    def __post_init__(self):
        if not pathlib.Path(self.path).is_file():
            raise ValueError(
                f"The input must be a file. Received: {self.path}."
            )

    def rows(self):
        """Yields pairs of the place of a row and what a task takes of it.

        Raises:
            ValueError: a row is at fault; it is named.
        """
        raise NotImplementedError

    def check(self, task):
        """Raises ValueError unless a task answers such a file.

        Args:
            task: `FineTunedTask` or `Ensemble`.
        """
        raise NotImplementedError

    def answers(self, task, rows):
        """Answers rows.

        Args:
            task: one that `check` has let through.
            rows: list of what `rows` gives without the places.

        Returns:
            A list of what JSON can hold, one for each row.
        """
        return task.predict(rows)

    def _check_inputs(self, task, names, held):
        if tuple(task.text_inputs) != names:
            raise ValueError(
                f"{self.path} holds {held}, which take a model of "
                f"{' and '.join(names)}. Received: {_told(task)}."
            )


class AskedTexts(Asked):
    """Texts, or pairs of texts, of a file that is never read as a whole.

    It is a ".txt", a text a line, without `columns`; or a ".csv", ".tsv" or
    ".jsonl" with those of the text and, of pairs, its pair: names or, where
    there is no header, positions from 0. A text may be empty.
    """

    @classmethod
    def of_file(cls, path, column):
        """The texts of a file, which has a `column` unless it is a ".txt"."""
        is_plain = pathlib.Path(path).suffix.lower() == ".txt"
        return cls(path, None if is_plain else [column])

    def rows(self):
        lines = read_lines(self.path)
        if self.columns is None:
            for number, line in enumerate(lines, 1):
                yield number, line.rstrip("\r\n")
            return
        lines = without_end(lines)
        for number, row in table_rows(self.path, lines, self.columns):
            yield number, tuple(row) if len(row) > 1 else row[0]

    def check(self, task):
        names, num_columns = {*task.text_inputs}, len(self.columns or ["text"])
        if "choices" in names:
            raise ValueError(
                f"The model must answer texts. Received: {_told(task)}: give "
                "it a .csv or a .jsonl with SWAG's columns, sent1, sent2, "
                "ending0, ending1 and so on."
            )
        is_pair = task.settings.get("is_pair")
        if "question" in names:
            is_pair = True
        if is_pair is not None and is_pair != (num_columns == 2):
            wanted = "pairs: name both columns" if is_pair else "single texts"
            raise ValueError(
                f"The model must be asked {wanted}. Received: {_told(task)}, "
                f"and {num_columns} column(s) of text."
            )


class MaskedTexts(AskedTexts):
    """Texts with masks, each of which a `FillMask` fills."""

    rows_at_once = 1024

    def answers(self, task, rows):
        return [task(text) for text in rows]


class AskedQuestions(Asked):
    """The questions of a file of SQuAD, with or without answers."""

    place = "id"
    rows_at_once = 256  # Their contexts are long.

    def rows(self):
        for question in read_squad(self.path, has_answers=False):
            yield question.id, (question.question, question.context)

    def check(self, task):
        self._check_inputs(task, ("question", "context"), "questions of SQuAD")


class AskedChoices(Asked):
    """Questions with choices in a file of SWAG, with or without labels."""

    rows_at_once = 1024

    def rows(self):
        table = read_cells(self.path, {name: name for name in self.columns})
        yield from zip(table.numbers, swag_examples(table), strict=True)

    def check(self, task):
        self._check_inputs(task, ("text", "choices"), "choices of SWAG")


@dataclasses.dataclass(frozen=True)
class AskedWords(Asked):
    """Sentences in words, a word a line; the answers are their tags.

    Args:
        word_column: int, as `read_words` takes it.
    """

    word_column: int | None = None

    def rows(self):
        yield from read_words(self.path, self.word_column)

    def check(self, task):
        if not hasattr(task, "predict_words"):
            raise ValueError(
                f"{self.path} holds sentences in words, which takes one model "
                f"of tags. Received: {_told(task)}."
            )

    def answers(self, task, rows):
        return task.predict_words(rows)


def asked_file(path, columns=None, word_column=None):
    """The `Asked` that a file is, by its name, its header and what is asked.

    Args:
        path: str.
        columns: list of the columns of a text and of its pair, as
            `AskedTexts` takes them; None where the user names none.
        word_column: int, where words are in a file with a word a line; None
            where the user names none.

    Raises:
        ValueError: there is no such file.
    """
    suffix = pathlib.Path(path).suffix.lower()
    if word_column is not None or (columns is None and suffix in _WORD_FILES):
        return AskedWords(path, [word_column], word_column)
    if columns is None and suffix == ".json":
        return AskedQuestions(path)
    if columns is None and pathlib.Path(path).is_file():
        num_choices = num_swag_choices(path)
        if num_choices:
            return AskedChoices(path, swag_columns(num_choices))
    if columns is None and suffix != ".txt":
        columns = ["text"]
    return AskedTexts(path, columns)


def _told(task):
    inputs = " and ".join(task.text_inputs)
    return f"{type(task).__name__}, which takes {inputs}"
