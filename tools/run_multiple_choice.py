"""Fine-tunes a model to choose among choices, as in SWAG.

    python tools/run_multiple_choice.py --train_file=train.csv \\
        --dev_file=val.csv --test_file=test.csv --init_dir=bert-base-uncased \\
        --output_dir=chooser

The model of the epoch that is best on --dev_file goes to --output_dir; beside
it stand eval.json, with the accuracy on --dev_file, and predictions.jsonl: for
each question of --test_file, or else of --dev_file, the choice, counted from 0,
and its probability. See docs/multiple_choice.md.
"""

import dataclasses
import json

from absl import flags

import keras_bert
from keras_bert import command_line
from keras_bert.data.labelled import multiple_choice
from keras_bert.tasks.fine_tuning.recipe_flags import RecipeFlags
from keras_bert.training import choices

_READERS = {
    "swag": multiple_choice.read_swag,
    "codah": multiple_choice.read_codah,
}
_PREDICTIONS = "predictions.jsonl"

_RECIPE = RecipeFlags()
_TRAIN_FILE = flags.DEFINE_string(
    "train_file", None, "Questions to learn from.", required=True
)
_DEV_FILE = flags.DEFINE_string(
    "dev_file",
    None,
    "Likewise, to tell which epoch is the best.",
    required=True,
)
_TEST_FILE = flags.DEFINE_string(
    "test_file",
    None,
    "Questions to answer after training; labels are not read.",
)
_INIT_DIR = flags.DEFINE_string(
    "init_dir",
    None,
    "Directory or name on the Hub to start from.",
    required=True,
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Where the model goes; made if needed.", required=True
)
_DATA_FORMAT = flags.DEFINE_enum(
    "data_format",
    "swag",
    sorted(_READERS),
    "Whose files they are: .csv or .jsonl of SWAG, .tsv of CODAH.",
)
_NUM_CHOICES = flags.DEFINE_integer(
    "num_choices", 4, "Choices of each question.", lower_bound=2
)
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", None, "Lower-case texts, where no file says whether to."
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length",
    None,
    "Longest pair in tokens; by default 128 or the model's limit.",
    lower_bound=4,
)
_PRECISION = flags.DEFINE_enum(
    "precision",
    "auto",
    choices.PRECISIONS,
    "Of the matrix products; auto is mixed_bfloat16 where the hardware has it.",
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)


def main():
    recipe = _RECIPE.recipe()
    # Imported late, so that the manual is there at once.
    import keras

    from keras_bert.tasks.fine_tuning import run_files
    from keras_bert.training.precision import dtype_policy

    files = [_TRAIN_FILE.value, _DEV_FILE.value, _TEST_FILE.value]
    run_files.check_run_files(
        _INIT_DIR.value,
        _OUTPUT_DIR.value,
        [run_files.EVALUATION, _PREDICTIONS],
        [path for path in files if path],
        _OVERWRITE.value,
    )
    train, dev = _read(_TRAIN_FILE.value), _read(_DEV_FILE.value)
    test = _read(files[-1], has_labels=False) if files[-1] else dev
    keras.config.set_dtype_policy(dtype_policy(_PRECISION.value))
    keras.utils.set_random_seed(recipe.seed)
    chooser = keras_bert.MultipleChoice.from_pretrained(
        _INIT_DIR.value,
        lowercase=_DO_LOWER_CASE.value,
        seq_length=_MAX_SEQ_LENGTH.value,
    )
    chooser.fit(
        train,
        validation_data=dev,
        **dataclasses.asdict(recipe),
    )
    chooser.save(_OUTPUT_DIR.value, overwrite=_OVERWRITE.value)
    scores = {"dev": chooser.evaluate(dev)}
    run_files.write_evaluation(_OUTPUT_DIR.value, scores)
    lines = [f"{json.dumps(answer)}\n" for answer in chooser.predict(test)]
    run_files.write_run_file(_OUTPUT_DIR.value, _PREDICTIONS, "".join(lines))


def _read(path, has_labels=True):
    read = _READERS[_DATA_FORMAT.value]
    return read(path, _NUM_CHOICES.value, has_labels)


if __name__ == "__main__":
    command_line.run(main)
