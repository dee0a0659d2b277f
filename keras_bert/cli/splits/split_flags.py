"""Flags for labeled texts for training and evaluation."""

import functools

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.splits.splits import file_splits
from keras_bert.cli.splits.splits import glue_splits
from keras_bert.cli.splits.splits import tfds_splits
from keras_bert.files.rows import column_of
from keras_bert.tasks.readers.glue_tasks import GLUE_TASKS


class SplitFlags:
    """Flags for labeled texts and a reader for the examples.

    Args:
        program: `Program`.
    """

    def __init__(self, program):
        self.task_name = program.enum(
            "task_name",
            None,
            [x for x, task in GLUE_TASKS.items() if "train" in task.files],
            "GLUE task; its files must be in --data_dir.",
        )
        self.data_dir = program.optional(
            "data_dir", "Directory with the published files of --task_name."
        )
        self.tfds_name = program.optional(
            "tfds_name",
            "Prepared TensorFlow Datasets dataset to use instead, such as "
            "glue/mrpc.",
        )
        self.files = shared_flags.splits(
            program,
            "Your own file to use instead: .csv, .tsv or .jsonl.",
            "Texts to predict after training; labels are optional.",
        )
        self.text_columns = {
            "text": shared_flags.text_column(program, "header."),
            "text_pair": program.optional(
                "text_pair_column", "Column of the second text in pairs."
            ),
        }
        self.label_column = program.string(
            "label_column", "label", "Label column."
        )
        self.label_separator = program.optional(
            "label_separator",
            "Separator between the labels in a cell, such as a comma, if a "
            "text in your own file can have several labels or none.",
        )
        self._of_files = [
            *self.files.values(),
            *self.text_columns.values(),
            self.label_column,
            self.label_separator,
        ]
        others = [self.task_name, self.data_dir, self.tfds_name]
        program.group("Data", [*others, *self._of_files])

    def reader(self):
        """Return the input files and a function that reads them.

        The function takes a `seed`, which selects the held-out examples if
        there is no dev split, and returns `Splits`.

        Raises:
            ValueError: flags contradict each other or are missing.
        """
        train_file, *of_files = self._of_files
        command_line.require_one(self.task_name, self.tfds_name, train_file)
        if self.task_name.value and not self.data_dir.value:
            raise ValueError(
                "--task_name needs --data_dir, the directory of its files. "
                f"Received: only --task_name={self.task_name.value}."
            )
        if not self.task_name.value:
            command_line.reject("requires --task_name", self.data_dir)
        if not train_file.value:
            command_line.reject("requires --train_file", *of_files)
        if self.label_separator.value == "":
            command_line.reject("must not be empty", self.label_separator)
        if self.task_name.value:
            task, directory = self.task_name.value, self.data_dir.value
            return [directory], functools.partial(glue_splits, task, directory)
        if self.tfds_name.value:
            return [], functools.partial(tfds_splits, self.tfds_name.value)
        files = shared_flags.given(self.files)
        texts = shared_flags.given(self.text_columns)
        return [*files.values()], functools.partial(
            file_splits,
            files,
            {name: column_of(column) for name, column in texts.items()},
            column_of(self.label_column.value),
            label_separator=self.label_separator.value,
        )
