"""Fine-tune a model for multiple choice.

    keras-bert run_multiple_choice --train_file=train.csv \\
        --dev_file=val.csv --test_file=test.csv --init_dir=bert-base-uncased \\
        --output_dir=runs/chooser

The best epoch on --dev_file is kept. The output directory contains the model,
eval.json (accuracy and calibration), the wrong predictions sorted by
confidence, predictions.jsonl (index from 0 and probability of the predicted
choice, for --test_file or else the dev split), and the training curve
(metrics.jsonl and TensorBoard). --seeds=5 and --search=paper train several
times and keep the best. See docs/multiple_choice.md.
"""

import functools

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.fine_tuning.run_flags import RunFlags
from keras_bert.cli.splits.splits import choice_file_splits
from keras_bert.cli.splits.splits import choice_tfds_splits
from keras_bert.tasks.readers import multiple_choice

PROGRAM = command_line.Program(
    __doc__, shared_flags.predict_command("choices.csv")
)

_READERS = {
    "swag": multiple_choice.read_swag,
    "codah": multiple_choice.read_codah,
}

_RUN = RunFlags(PROGRAM)
_FILES = shared_flags.splits(
    PROGRAM,
    "Training questions.",
    "Questions to predict after training; labels are ignored.",
)
_DATA_FORMAT = PROGRAM.enum(
    "data_format",
    "swag",
    sorted(_READERS),
    "File format: .csv or .jsonl as in SWAG, .tsv as in CODAH.",
)
_TFDS_NAME = PROGRAM.optional(
    "tfds_name",
    "Prepared TensorFlow Datasets dataset to use instead, such as hellaswag.",
)
_NUM_CHOICES = PROGRAM.integer(
    "num_choices", 4, "Number of choices per question.", lower_bound=2
)


def main():
    files = shared_flags.given(_FILES)
    command_line.require_one(_FILES["train"], _TFDS_NAME)
    num_choices = _NUM_CHOICES.value
    read = functools.partial(
        choice_file_splits,
        files,
        _READERS[_DATA_FORMAT.value],
        num_choices,
    )
    if _TFDS_NAME.value:
        for holder in (_FILES["dev"], _FILES["test"], _DATA_FORMAT):
            command_line.reject("requires --train_file", holder)
        read = functools.partial(
            choice_tfds_splits, _TFDS_NAME.value, num_choices
        )
    _RUN.run(files.values(), read, _make)


def _make(splits, arguments):
    # Imported late, so that --help is fast.
    from keras_bert.cli.fine_tuning.choice_run import ChoiceRun

    return ChoiceRun(splits, arguments)
