"""Convert a checkpoint for long texts, as Longformer was created from RoBERTa.

    keras-bert make_long --input_dir=roberta-base --output_dir=long-roberta

The input is a BERT, RoBERTa, DistilBERT or ALBERT. Attention becomes a sliding
window, and the position embeddings are repeated. A RoBERTa becomes a
Longformer. Pre-train the result on long texts before use.
"""

import pathlib

import keras_bert
from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.checkpoints.layout import check_output
from keras_bert.cli import shared_flags
from keras_bert.models import make_long

PROGRAM = command_line.Program(
    __doc__,
    "keras-bert run_pretraining --objective=mlm "
    "--init_checkpoint={output_dir} --output_dir=...",
)

_INPUT_DIR = PROGRAM.required("input_dir", "Directory or name on the Hub.")
_OUTPUT_DIR = PROGRAM.required(
    "output_dir", "Output directory, created if needed."
)
_MAX_POSITIONS = PROGRAM.integer(
    "max_positions", 4096, "Maximum sequence length."
)
_WINDOW = PROGRAM.integer(
    "window", 512, "Number of neighbours that a token attends to; must be even."
)
_FORMAT = PROGRAM.enum(
    "format",
    "keras",
    ["keras", "hf"],
    "Output format: keras (this library), or hf (transformers) for a "
    "Longformer.",
)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)
_OVERWRITE = shared_flags.overwrite(PROGRAM)


def main():
    check_input(_INPUT_DIR.value)
    inputs = [_INPUT_DIR.value, *pathlib.Path(_INPUT_DIR.value).glob("*")]
    check_output(_OUTPUT_DIR.value, _FORMAT.value, inputs, _OVERWRITE.value)
    command_line.import_quietly("keras")
    model = keras_bert.from_pretrained(
        _INPUT_DIR.value, lowercase=_DO_LOWER_CASE.value
    )
    keras_bert.save_pretrained(
        make_long(model, _MAX_POSITIONS.value, _WINDOW.value),
        _OUTPUT_DIR.value,
        _FORMAT.value,
        overwrite=_OVERWRITE.value,
    )
