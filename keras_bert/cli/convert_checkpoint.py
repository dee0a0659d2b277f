"""Convert a checkpoint of any format to another.

    keras-bert convert_checkpoint --input_dir=uncased_L-12_H-768_A-12 \\
        --output_dir=bert-base-uncased --format=keras

The input is a checkpoint directory of keras_bert, Hugging Face,
google-research/bert or the Model Garden; the output directory of an unfinished
pre-training run (its latest training state is read); or the name of a model on
the Hugging Face Hub. Nothing is written unless every weight was read.
"""

import pathlib

from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.checkpoints.layout import check_output
from keras_bert.cli import shared_flags

PROGRAM = command_line.Program(
    __doc__, "keras-bert playground --model_dir={output_dir}"
)

_INPUT_DIR = PROGRAM.required("input_dir", "Directory or name on the Hub.")
_OUTPUT_DIR = PROGRAM.required(
    "output_dir", "Output directory, created if needed."
)
_FORMAT = PROGRAM.enum(
    "format",
    "keras",
    ["keras", "hf", "tf1"],
    "Output format: keras (this library), hf (transformers) or tf1 "
    "(google-research/bert).",
)
_ALLOW_MISSING = PROGRAM.list(
    "allow_missing",
    [],
    "Parts (pooler, masked_lm_head, nsp_head) or weights to initialize "
    "randomly if they are missing.",
)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)
_OVERWRITE = shared_flags.overwrite(PROGRAM)


def main():
    check_input(_INPUT_DIR.value)
    inputs = [_INPUT_DIR.value, *pathlib.Path(_INPUT_DIR.value).glob("*")]
    check_output(_OUTPUT_DIR.value, _FORMAT.value, inputs, _OVERWRITE.value)
    command_line.import_quietly("keras")
    bert = keras_bert.from_pretrained(
        _INPUT_DIR.value, _ALLOW_MISSING.value, _DO_LOWER_CASE.value
    )
    keras_bert.save_pretrained(
        bert, _OUTPUT_DIR.value, _FORMAT.value, overwrite=_OVERWRITE.value
    )
    logging.info("Parts: %s.", ", ".join(["encoder", *sorted(bert.parts)]))
