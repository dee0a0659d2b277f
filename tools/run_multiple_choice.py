"""Fine-tune a model to choose one of some texts.

    keras-bert run_multiple_choice --train_file=train.csv \\
        --dev_file=val.csv --test_file=test.csv --init_dir=bert-base-uncased \\
        --output_dir=runs/chooser

The epoch that is best on --dev_file is kept. The output directory holds the
model, eval.json (accuracy and calibration), the questions with a wrong choice,
the most confident first, predictions.jsonl (for each question of
--test_file, or else of the dev split, the choice, counted from 0, and its
probability), and the curve, metrics.jsonl and for TensorBoard. --seeds=5 and
--search=paper train several times and keep the best. See
docs/multiple_choice.md.
"""

from absl import flags

from keras_bert import command_line
from keras_bert.data.labelled import multiple_choice
from keras_bert.programs.fine_tuning.run_flags import RunFlags
from keras_bert.programs.splits import task_splits

_READERS = {
    "swag": multiple_choice.read_swag,
    "codah": multiple_choice.read_codah,
}

_RUN = RunFlags()
_TRAIN_FILE = flags.DEFINE_string(
    "train_file", None, "Questions to learn from."
)
_DEV_FILE = flags.DEFINE_string(
    "dev_file",
    None,
    "By which the best epoch is chosen; by default a tenth of --train_file.",
)
_TEST_FILE = flags.DEFINE_string(
    "test_file", None, "Questions to answer at the end, without labels."
)
_DATA_FORMAT = flags.DEFINE_enum(
    "data_format",
    "swag",
    sorted(_READERS),
    "Whose files they are: .csv or .jsonl of SWAG, .tsv of CODAH.",
)
_TFDS_NAME = flags.DEFINE_string(
    "tfds_name",
    None,
    "Or a prepared data set of TensorFlow Datasets: hellaswag.",
)
_NUM_CHOICES = flags.DEFINE_integer(
    "num_choices", 4, "Choices of each question.", lower_bound=2
)


def main():
    recipes = _RUN.recipes()
    _RUN.set_threads()
    files = {
        "train": _TRAIN_FILE.value,
        "dev": _DEV_FILE.value,
        "test": _TEST_FILE.value,
    }
    _check()
    _RUN.check_places(files.values())
    splits = _splits(files, recipes[0].seed)
    # Imported late, so that the manual is there at once.
    from keras_bert.programs.fine_tuning.choice_run import ChoiceRun

    _RUN.perform(ChoiceRun(splits, _RUN.arguments()), files.values())


def _check():
    if bool(_TRAIN_FILE.value) == bool(_TFDS_NAME.value):
        both = "both" if _TFDS_NAME.value else "none"
        raise ValueError(
            f"One of --train_file and --tfds_name is needed. Received: {both}."
        )
    if _TFDS_NAME.value:
        for holder in (_DEV_FILE, _TEST_FILE, _DATA_FORMAT):
            command_line.refuse(holder, "is for --train_file")


def _splits(files, seed):
    if _TFDS_NAME.value:
        return task_splits.choice_tfds_splits(
            _TFDS_NAME.value, _NUM_CHOICES.value, seed
        )
    return task_splits.choice_file_splits(
        {split: path for split, path in files.items() if path},
        _READERS[_DATA_FORMAT.value],
        _NUM_CHOICES.value,
        seed,
    )


if __name__ == "__main__":
    command_line.run(
        main,
        "keras-bert predict --model_dir={output_dir}/model "
        "--input_file=choices.csv --output_file=answers.jsonl",
    )
