"""The flags that say which examples a program learns from."""

from absl import flags

from keras_bert import command_line
from keras_bert.data.labelled.glue_tasks import GLUE_TASKS
from keras_bert.data.labelled.rows import column_of
from keras_bert.programs import shared_flags
from keras_bert.programs.splits.splits import file_splits
from keras_bert.programs.splits.splits import glue_splits
from keras_bert.programs.splits.splits import tfds_splits

flags.disclaim_key_flags()  # They are the flags of the program.


class SplitFlags:
    """Defines the flags, and reads the examples that they name."""

    def __init__(self):
        self.task_name = flags.DEFINE_enum(
            "task_name",
            None,
            [x for x, task in GLUE_TASKS.items() if "train" in task.files],
            "Task of GLUE, of which --data_dir holds the files.",
        )
        self.data_dir = shared_flags.optional(
            "data_dir", "The files of --task_name, as published."
        )
        self.tfds_name = shared_flags.optional(
            "tfds_name",
            "Or a prepared data set of TensorFlow Datasets: glue/mrpc.",
        )
        self.train_file, self.dev_file, self.test_file = shared_flags.splits(
            "Or a file of one's own: .csv, .tsv or .jsonl.",
            "Texts to answer at the end, without labels.",
        ).values()
        self.text_column = shared_flags.text_column("header.")
        self.text_pair_column = shared_flags.optional(
            "text_pair_column", "Of pairs, the column of the second text."
        )
        self.label_column = flags.DEFINE_string(
            "label_column", "label", "Column of the label."
        )
        self.label_separator = shared_flags.optional(
            "label_separator",
            "What stands between the labels of a cell, such as a comma, where "
            "a text of one's own may have several labels or none.",
        )
        command_line.group("Data", vars(self).values())

    def check(self):
        """Raises ValueError if flags contradict each other or are missing."""
        command_line.need_one(self.task_name, self.tfds_name, self.train_file)
        if self.task_name.value and not self.data_dir.value:
            raise ValueError(
                "--task_name needs --data_dir, the directory of its files. "
                f"Received: --task_name={self.task_name.value} alone."
            )
        if not self.task_name.value:
            command_line.refuse(self.data_dir, "is for --task_name")
        if not self.train_file.value:
            for holder in self._of_files():
                command_line.refuse(holder, "is for --train_file")
        if self.label_separator.value == "":
            command_line.refuse(self.label_separator, "must not be empty")

    def paths(self):
        """The files and directories that are read, a list of str."""
        holders = [self.data_dir, self.train_file, *self._of_files()[:2]]
        return [holder.value for holder in holders if holder.value]

    def read(self, seed):
        """Reads the examples.

        Args:
            seed: int, of what is held out where there is no dev split.

        Returns:
            `Splits`.
        """
        if self.task_name.value:
            return glue_splits(self.task_name.value, self.data_dir.value, seed)
        if self.tfds_name.value:
            return tfds_splits(self.tfds_name.value, seed)
        paths = {
            "train": self.train_file.value,
            "dev": self.dev_file.value,
            "test": self.test_file.value,
        }
        texts = {
            "text": self.text_column.value,
            "text_pair": self.text_pair_column.value,
        }
        return file_splits(
            {split: path for split, path in paths.items() if path},
            {x: column_of(name) for x, name in texts.items() if name},
            column_of(self.label_column.value),
            seed,
            self.label_separator.value,
        )

    def _of_files(self):
        return (
            self.dev_file,
            self.test_file,
            self.text_column,
            self.text_pair_column,
            self.label_column,
            self.label_separator,
        )
