"""The flags of the labelled texts that a program learns from."""

import functools

from absl import flags

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.splits.splits import file_splits
from keras_bert.cli.splits.splits import glue_splits
from keras_bert.cli.splits.splits import tfds_splits
from keras_bert.rows import column_of
from keras_bert.tasks.labelled.glue_tasks import GLUE_TASKS

flags.disclaim_key_flags()  # They are the flags of the program.


class SplitFlags:
    """Defines the flags and reads the examples that they name."""

    def __init__(self):
        self.task_name = flags.DEFINE_enum(
            "task_name",
            None,
            [x for x, task in GLUE_TASKS.items() if "train" in task.files],
            "Task of GLUE; its files are in --data_dir.",
        )
        self.data_dir = shared_flags.optional(
            "data_dir", "The files of --task_name, as published."
        )
        self.tfds_name = shared_flags.optional(
            "tfds_name",
            "Or a prepared data set of TensorFlow Datasets: glue/mrpc.",
        )
        self.files = shared_flags.splits(
            "Or a file of one's own: .csv, .tsv or .jsonl.",
            "Texts to answer at the end, without labels.",
        )
        self.text_columns = {
            "text": shared_flags.text_column("header."),
            "text_pair": shared_flags.optional(
                "text_pair_column", "Of pairs, the column of the second text."
            ),
        }
        self.label_column = flags.DEFINE_string(
            "label_column", "label", "Column of the label."
        )
        self.label_separator = shared_flags.optional(
            "label_separator",
            "What stands between the labels of a cell, such as a comma, where "
            "a text of one's own may have several labels or none.",
        )
        self._of_files = [
            *self.files.values(),
            *self.text_columns.values(),
            self.label_column,
            self.label_separator,
        ]
        others = [self.task_name, self.data_dir, self.tfds_name]
        command_line.group("Data", [*others, *self._of_files])

    def reader(self):
        """Return the files that are read and a function that reads them.

        The function takes the `seed` of the examples that are held out
        without a dev split, and returns `Splits`.

        Raises:
            ValueError: flags contradict each other or are missing.
        """
        train_file, *of_files = self._of_files
        command_line.need_one(self.task_name, self.tfds_name, train_file)
        if self.task_name.value and not self.data_dir.value:
            raise ValueError(
                "--task_name needs --data_dir, the directory of its files. "
                f"Received: --task_name={self.task_name.value} alone."
            )
        if not self.task_name.value:
            command_line.refuse("requires --task_name", self.data_dir)
        if not train_file.value:
            command_line.refuse("requires --train_file", *of_files)
        if self.label_separator.value == "":
            command_line.refuse("must not be empty", self.label_separator)
        if self.task_name.value:
            source = self.task_name.value, self.data_dir.value
            return [source[1]], functools.partial(glue_splits, *source)
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
