"""Input files for prediction, such as texts or questions."""

import pathlib

from keras_bert.files.rows import read_lines
from keras_bert.files.rows import table_rows
from keras_bert.files.rows import without_end
from keras_bert.tasks.readers.conll import read_words
from keras_bert.tasks.readers.multiple_choice import num_swag_choices
from keras_bert.tasks.readers.multiple_choice import swag_columns
from keras_bert.tasks.readers.multiple_choice import swag_examples
from keras_bert.tasks.readers.squad import read_squad
from keras_bert.tasks.readers.tables import read_cells

_WORD_FILES = (".bio", ".conll", ".conllu", ".iob", ".iob2")


class InputFile:
    """Base class for input files with one example per row.

    A subclass sets the attributes and defines `rows`.

    Attributes:
        place: str, key of the location of a row in the output.
        rows_at_once: int, number of rows predicted and stored together.
        inputs: tuple of str, `text_inputs` of the tasks that accept the rows.
        content: str, description of the contents in error messages.

    Args:
        path: str.
        columns: list of str or int, columns to read; None for formats with
            fixed columns.

    Raises:
        ValueError: the file does not exist.
    """

    place = "line"
    rows_at_once = 4096
    inputs = ()
    content = ""

    def __init__(self, path, columns=None):
        if not pathlib.Path(path).is_file():
            raise ValueError(f"The input must be a file. Received: {path}.")
        self.path = path
        self.columns = columns

    def rows(self):
        """Yield (location of a row, task input) pairs.

        Raises:
            ValueError: a row is invalid. The message names the row.
        """
        raise NotImplementedError

    def check(self, task):
        """Raise ValueError unless a task accepts this type of file.

        Args:
            task: `FineTunedTask` or `Ensemble`.
        """
        if tuple(task.text_inputs) != self.inputs:
            raise ValueError(
                f"{self.path} contains {self.content} and needs a model that "
                f"takes {' and '.join(self.inputs)}. Received: {_named(task)}."
            )

    def answers(self, task, rows):
        """Predict rows.

        Args:
            task: task that passes `check`.
            rows: list of inputs, as yielded by `rows`.

        Returns:
            A list of JSON values, one for each row.
        """
        return task.predict(rows)


class TextInputs(InputFile):
    """Texts or pairs of texts in a file of any size.

    A ".txt" file has one text per line and no `columns`. A ".csv", ".tsv" or
    ".jsonl" file has a column for the text and, for pairs, one for the second
    text. `columns` are names, or indices from 0 without a header. Texts may be
    empty.
    """

    @classmethod
    def of_file(cls, path, column):
        """Open a file; `column` is ignored for a ".txt" file."""
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
                "The model must accept texts. Received: "
                f"{_named(task)}. For this model, the input must be a .csv or "
                ".jsonl file with the columns of SWAG: sent1, sent2, ending0, "
                "ending1 and so on."
            )
        is_pair = task.settings.get("is_pair")
        if "question" in names:
            is_pair = True
        if is_pair is not None and is_pair != (num_columns == 2):
            wanted = "pairs: name both columns" if is_pair else "single texts"
            raise ValueError(
                f"The model expects {wanted}. Received: {_named(task)}, "
                f"and {num_columns} column(s) of text."
            )


class MaskedTextInputs(TextInputs):
    """Texts with mask tokens, for `FillMask`."""

    rows_at_once = 1024

    def answers(self, task, rows):
        return [task(text) for text in rows]


class QuestionInputs(InputFile):
    """Questions in a SQuAD file, with or without answers."""

    place = "id"
    rows_at_once = 256  # Few, because contexts are long.
    inputs = ("question", "context")
    content = "questions of SQuAD"

    def rows(self):
        for question in read_squad(self.path, has_answers=False):
            yield question.id, (question.question, question.context)


class ChoiceInputs(InputFile):
    """Multiple-choice questions in a SWAG file, with or without labels."""

    rows_at_once = 1024
    inputs = ("text", "choices")
    content = "choices of SWAG"

    def rows(self):
        table = read_cells(self.path, {name: name for name in self.columns})
        yield from zip(table.numbers, swag_examples(table), strict=True)


class WordInputs(InputFile):
    """Sentences with one word per line, for token classification.

    `columns` contains the index of the word column, or None to detect it; see
    `read_words`.
    """

    def rows(self):
        (word_column,) = self.columns
        yield from read_words(self.path, word_column)

    def check(self, task):
        if not hasattr(task, "predict_words"):
            raise ValueError(
                f"{self.path} has one word per line and needs a model for "
                f"token classification. Received: {_named(task)}."
            )

    def answers(self, task, rows):
        return task.predict_words(rows)


def open_input_file(path, columns=None, word_column=None):
    """Open an input file with the class for its name, header and columns.

    Args:
        path: str.
        columns: list of columns as in `TextInputs`, or None.
        word_column: int, column of the words in a file with one word per
            line, or None.

    Returns:
        An `InputFile`.

    Raises:
        ValueError: the file does not exist.
    """
    suffix = pathlib.Path(path).suffix.lower()
    if word_column is not None or (columns is None and suffix in _WORD_FILES):
        return WordInputs(path, [word_column])
    if columns is None and suffix == ".json":
        return QuestionInputs(path)
    if columns is None and pathlib.Path(path).is_file():
        num_choices = num_swag_choices(path)
        if num_choices:
            return ChoiceInputs(path, swag_columns(num_choices))
    if columns is None and suffix != ".txt":
        columns = ["text"]
    return TextInputs(path, columns)


def _named(task):
    inputs = " and ".join(task.text_inputs)
    return f"{type(task).__name__}, which takes {inputs}"
