"""Predict the rows of a file with a fine-tuned model.

    keras-bert predict --model_dir=runs/mrpc/model \\
        --input_file=pairs.tsv --output_file=answers.jsonl \\
        --text_column=sentence1 --text_pair_column=sentence2

The task is read from the model's files. Several models, --model_dir=a,b,c, form
an ensemble: the mean of their logits is used. The input is

- for texts, a .txt with one text per line, or a .csv, .tsv or .jsonl with
  columns, of any size; for pairs, such as question and context, two columns;
- for questions also a SQuAD .json, for multiple choice a .csv or .jsonl with
  the columns of SWAG; answers and labels in them are ignored;
- for a tagger, texts or a .conll with one word per line.

The output has a line of JSON for each row, in order: `line`, the line number of
the row in the input, or the `id` of a SQuAD question, and `prediction`, for
example a label and its probability. Run the same command again to resume an
interrupted run.
"""

import pathlib

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.files.manifest import fingerprint
from keras_bert.files.rows import column_of

PROGRAM = command_line.Program(__doc__, "head -n 3 {output_file}")

_MODEL_DIR = PROGRAM.list(
    "model_dir",
    None,
    "Directory of the fine-tuned model, or several directories, "
    "comma-separated.",
    required=True,
)
_INPUT_FILE = PROGRAM.required(
    "input_file", "Input file: .txt, .csv, .tsv, .jsonl, .json or .conll."
)
_OUTPUT_FILE = PROGRAM.required(
    "output_file", "Output file for the predictions (.jsonl)."
)
_TEXT_COLUMN = shared_flags.text_column(PROGRAM)
_TEXT_PAIR_COLUMN = PROGRAM.optional(
    "text_pair_column", "Column of the second text in pairs."
)
_WORD_COLUMN = PROGRAM.integer(
    "word_column",
    None,
    "Index of the word column, from 0, in a file with one word per "
    "line; by default the first, or the second if the first contains "
    "word numbers. If this flag is given, the file may have any name.",
)
_PRECISION = shared_flags.precision(PROGRAM)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)
_OVERWRITE = shared_flags.overwrite(PROGRAM)


def main():
    columns = _columns()
    # Imported late, so that --help is fast.
    keras = command_line.import_quietly("keras")
    from keras_bert.checkpoints.layout import check_input
    from keras_bert.cli.prediction.input_files import open_input_file
    from keras_bert.cli.prediction.job import answer_file
    from keras_bert.optimizers.precision import dtype_policy

    for directory in _MODEL_DIR.value:
        check_input(directory)
    policy = dtype_policy(_PRECISION.value)
    keras.config.set_dtype_policy(policy)
    input_file = open_input_file(_INPUT_FILE.value, columns, _WORD_COLUMN.value)
    answer_file(
        input_file,
        _OUTPUT_FILE.value,
        lambda: _task(input_file),
        {
            "models": [*map(fingerprint, _MODEL_DIR.value)],
            "lower_case": _DO_LOWER_CASE.value,
            "policy": policy,
        },
        _OVERWRITE.value,
        _MODEL_DIR.value,
    )


def _task(input_file):
    """Load the model or the ensemble, and check that it fits the input."""
    from keras_bert.tasks import Ensemble
    from keras_bert.tasks import load_task

    directory, *others = _MODEL_DIR.value
    arguments = {"lowercase": _DO_LOWER_CASE.value}
    if others:
        task = Ensemble.from_pretrained([directory, *others], **arguments)
    else:
        task = load_task(directory, **arguments)
    input_file.check(task)
    return task


def _columns():
    """Return the columns of the texts, or None without flags."""
    holders = (_TEXT_COLUMN, _TEXT_PAIR_COLUMN)
    for holder in holders:
        if pathlib.Path(_INPUT_FILE.value).suffix.lower() == ".txt":
            command_line.reject("does not apply to .txt files", holder)
        if _WORD_COLUMN.value is not None:
            command_line.reject("cannot be combined with --word_column", holder)
    if not any(holder.present for holder in holders):
        return None
    names = [_TEXT_COLUMN.value, _TEXT_PAIR_COLUMN.value]
    return [column_of(name) for name in names if name is not None]
