"""The flags that say which examples a program learns from."""

from absl import flags

from keras_bert import command_line
from keras_bert.data.labelled.glue_tasks import GLUE_TASKS
from keras_bert.data.labelled.rows import column_of
from keras_bert.programs.splits.splits import file_splits
from keras_bert.programs.splits.splits import glue_splits
from keras_bert.programs.splits.splits import tfds_splits

flags.disclaim_key_flags()  # They are the flags of the program.


# By the names of the flags their defaults and meanings.
_STRINGS = {
    "data_dir": (None, "The files of --task_name, as published."),
    "tfds_name": (
        None,
        "Or a prepared data set of TensorFlow Datasets: glue/mrpc.",
    ),
    "train_file": (None, "Or a file of one's own: .csv, .tsv or .jsonl."),
    "dev_file": (
        None,
        "By which the best epoch is chosen; by default a tenth of "
        "--train_file.",
    ),
    "test_file": (None, "Texts to answer at the end, without labels."),
    "text_column": (
        "text",
        "Column of the text in files of one's own: its name, or its position "
        "from 0 if there is no header.",
    ),
    "text_pair_column": (None, "Of pairs, the column of the second text."),
    "label_column": ("label", "Column of the label."),
    "label_separator": (
        None,
        "What stands between the labels of a cell, such as a comma, where a "
        "text of one's own may have several labels or none.",
    ),
}


class SplitFlags:
    """Defines the flags, and reads the examples that they name."""

    def __init__(self):
        self.task_name = flags.DEFINE_enum(
            "task_name",
            None,
            [x for x, task in GLUE_TASKS.items() if "train" in task.files],
            "Task of GLUE, of which --data_dir holds the files.",
        )
        for name, (default, text) in _STRINGS.items():
            setattr(self, name, flags.DEFINE_string(name, default, text))
        command_line.group("Data", vars(self).values())

    def check(self):
        """Raises ValueError if flags contradict each other or are missing."""
        ways = (self.task_name, self.tfds_name, self.train_file)
        given = [f"--{way.name}" for way in ways if way.value]
        if len(given) != 1:
            raise ValueError(
                "One of --task_name, --tfds_name and --train_file is needed. "
                f"Received: {', '.join(given) or 'none'}."
            )
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
