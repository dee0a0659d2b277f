"""Answer the rows of a file by a trained model.

    keras-bert predict --model_dir=runs/mrpc/model \\
        --input_file=pairs.tsv --output_file=answers.jsonl \\
        --text_column=sentence1 --text_pair_column=sentence2

The files of the model tell its task; several models, --model_dir=a,b,c, answer
together, by the mean of their logits. The input is

- for texts a .txt with a text a line, or a .csv, .tsv or .jsonl with columns,
  of any size; for pairs, a question and its context among them, one with two;
- for questions also a .json of SQuAD, for choices a .csv or .jsonl with SWAG's
  columns; answers and labels in them are not read;
- for a tagger texts, or a .conll with a word a line.

Each row gets a line of JSON, in order: `line`, where the row begins in the
input, or `id` of a question of SQuAD, and `prediction`, for example a label and
its probability. A run that was killed goes on where it was when the same
command is typed again.
"""

import pathlib

from absl import flags

from keras_bert import artifacts
from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.rows import column_of

_MODEL_DIR = flags.DEFINE_list(
    "model_dir",
    None,
    "Directory of the fine-tuned model, or of several with commas between.",
    required=True,
)
_INPUT_FILE = shared_flags.required(
    "input_file", "What is asked: .txt, .csv, .tsv, .jsonl, .json or .conll."
)
_OUTPUT_FILE = shared_flags.required("output_file", "The answers, a .jsonl.")
_TEXT_COLUMN = shared_flags.text_column()
_TEXT_PAIR_COLUMN = shared_flags.optional(
    "text_pair_column", "Of pairs, the column of the second text."
)
_WORD_COLUMN = flags.DEFINE_integer(
    "word_column",
    None,
    "Column of the words, from 0, in a file with a word a line; by default the "
    "first, or the second where the first counts them. The file may then have "
    "any name.",
)
_PRECISION = shared_flags.precision()
_DO_LOWER_CASE = shared_flags.do_lower_case()
_OVERWRITE = shared_flags.overwrite()


def main():
    columns = _columns()
    # Imported late, so that the manual is there at once.
    import keras

    from keras_bert.checkpoints.layout import check_input
    from keras_bert.cli.prediction.asked import asked_file
    from keras_bert.cli.prediction.job import answer_file
    from keras_bert.optimizers.precision import dtype_policy

    for directory in _MODEL_DIR.value:
        check_input(directory)
    policy = dtype_policy(_PRECISION.value)
    keras.config.set_dtype_policy(policy)
    asked = asked_file(_INPUT_FILE.value, columns, _WORD_COLUMN.value)
    answer_file(
        asked,
        _OUTPUT_FILE.value,
        lambda: _task(asked),
        {
            "models": [*map(artifacts.fingerprint, _MODEL_DIR.value)],
            "lower_case": _DO_LOWER_CASE.value,
            "policy": policy,
        },
        _OVERWRITE.value,
        _MODEL_DIR.value,
    )


def _task(asked):
    """The model, or the ensemble of several, if it answers what is asked."""
    from keras_bert.tasks import Ensemble
    from keras_bert.tasks import load_task

    directory, *others = _MODEL_DIR.value
    arguments = {"lowercase": _DO_LOWER_CASE.value}
    if others:
        task = Ensemble.from_pretrained([directory, *others], **arguments)
    else:
        task = load_task(directory, **arguments)
    asked.check(task)
    return task


def _columns():
    """The columns of the texts; None where no flag says."""
    holders = (_TEXT_COLUMN, _TEXT_PAIR_COLUMN)
    for holder in holders:
        if pathlib.Path(_INPUT_FILE.value).suffix.lower() == ".txt":
            command_line.refuse("is not for a .txt", holder)
        if _WORD_COLUMN.value is not None:
            command_line.refuse("goes not with --word_column", holder)
    if not any(holder.present for holder in holders):
        return None
    names = [_TEXT_COLUMN.value, _TEXT_PAIR_COLUMN.value]
    return [column_of(name) for name in names if name is not None]


if __name__ == "__main__":
    command_line.run(
        main,
        "head -n 3 {output_file}",
    )
