"""Fill the masks of texts.

    keras-bert fill_mask --text='The function returns a [MASK] of strings.'
    keras-bert fill_mask --model_dir=bert-base-uncased \\
        --input_file=texts.txt --output_file=filled.jsonl

With --text the predictions are printed. --input_file is a .txt with one text
per line, or a .csv, .tsv or .jsonl with a column of texts, of any size. The
output has a line of JSON for each row, in order: `line`, the line number of the
row in the input, and `prediction`, the words and their probabilities for each
mask. Run the same command again to resume an interrupted run.
"""

import json

import keras_bert
from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.files.manifest import fingerprint
from keras_bert.files.rows import column_of

PROGRAM = command_line.Program(__doc__, "head -n 3 {output_file}")

_MODEL_DIR = shared_flags.model_dir(PROGRAM)
_TEXT = PROGRAM.multi_string("text", [], "Text to fill; may be repeated.")
_INPUT_FILE = PROGRAM.optional(
    "input_file", "File of texts to fill instead: .txt, .csv, .tsv or .jsonl."
)
_OUTPUT_FILE = PROGRAM.optional(
    "output_file", "Output file for the predictions of --input_file (.jsonl)."
)
_TEXT_COLUMN = shared_flags.text_column(PROGRAM)
_TOP_K = PROGRAM.integer(
    "top_k", 5, "Number of predictions for each mask.", lower_bound=1
)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)
_OVERWRITE = shared_flags.overwrite(PROGRAM)


def main():
    command_line.require_one(_TEXT, _INPUT_FILE)
    if bool(_INPUT_FILE.value) != bool(_OUTPUT_FILE.value):
        raise ValueError(
            "--input_file and --output_file must be given together."
        )
    # Imported late, so that --help is fast.
    command_line.import_quietly("keras")
    from keras_bert.checkpoints.layout import check_input

    directory = _MODEL_DIR.value or str(keras_bert.TINY_MODEL)
    check_input(directory)
    if _INPUT_FILE.value:
        _answer_file(directory)
        return
    fill_mask = _fill_mask(directory)
    for text in _TEXT.value:
        for filling in fill_mask(text):
            print(json.dumps(filling, ensure_ascii=False))


def _answer_file(directory):
    from keras_bert.cli.prediction.input_files import MaskedTextInputs
    from keras_bert.cli.prediction.job import answer_file

    answer_file(
        MaskedTextInputs.of_file(
            _INPUT_FILE.value, column_of(_TEXT_COLUMN.value)
        ),
        _OUTPUT_FILE.value,
        lambda: _fill_mask(directory),
        {
            "model": fingerprint(directory),
            "lower_case": _DO_LOWER_CASE.value,
            "top_k": _TOP_K.value,
        },
        _OVERWRITE.value,
        [directory],
    )


def _fill_mask(directory):
    return keras_bert.FillMask.from_pretrained(
        directory, lowercase=_DO_LOWER_CASE.value, top_k=_TOP_K.value
    )
