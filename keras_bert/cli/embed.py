"""Compute the embeddings of the texts of a file.

    keras-bert embed --input_file=texts.txt --output_file=vectors.npy
    keras-bert embed --model_dir=sentence-transformers/all-MiniLM-L6-v2 \\
        --input_file=rows.csv --text_column=title --output_file=vectors.npy

The input is a .txt with one text per line, or a .csv, .tsv or .jsonl with a
column of texts, of any size. The output is an array for `numpy.load`, float32
`(num_texts, dim)`, in the order of the texts. Pooling and prompts are read from
the model directory of `TextEmbedder` or sentence-transformers; other models use
mean pooling.
"""

from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.files.rows import column_of

PROGRAM = command_line.Program(
    __doc__,
    "python -c 'import numpy, sys; print(numpy.load(sys.argv[1]))' "
    "{output_file}",
)

_MODEL_DIR = shared_flags.model_dir(PROGRAM)
_INPUT_FILE = PROGRAM.required(
    "input_file", "Input file of texts: .txt, .csv, .tsv or .jsonl."
)
_OUTPUT_FILE = PROGRAM.required(
    "output_file", "Output file for the embeddings (.npy)."
)
_TEXT_COLUMN = shared_flags.text_column(PROGRAM)
_PROMPT = PROGRAM.optional(
    "prompt",
    "Name of a prompt of the model, such as query; by default the model's "
    "default prompt.",
)
_PRECISION = shared_flags.precision(PROGRAM)
_DO_LOWER_CASE = shared_flags.do_lower_case(PROGRAM)
_OVERWRITE = shared_flags.overwrite(PROGRAM)


def main():
    # Imported late, so that --help is fast.
    keras = command_line.import_quietly("keras")
    from keras_bert.checkpoints.layout import check_input
    from keras_bert.cli.prediction.input_files import TextInputs
    from keras_bert.cli.prediction.vectors import embed_file
    from keras_bert.optimizers.precision import dtype_policy
    from keras_bert.tasks.embeddings.directories import saved_class

    directory = _MODEL_DIR.value or str(keras_bert.TINY_MODEL)
    check_input(directory)
    if saved_class(directory) is not None:
        raise ValueError(
            "--model_dir must be a model with one vector for each text. For "
            "others, run `keras-bert predict`. Received: a "
            f"{saved_class(directory)}."
        )
    keras.config.set_dtype_policy(dtype_policy(_PRECISION.value))
    shape = embed_file(
        TextInputs.of_file(_INPUT_FILE.value, column_of(_TEXT_COLUMN.value)),
        _OUTPUT_FILE.value,
        lambda: keras_bert.TextEmbedder.from_pretrained(
            directory, lowercase=_DO_LOWER_CASE.value
        ),
        _PROMPT.value,
        _OVERWRITE.value,
        [directory],
    )
    logging.info("%d vectors of %d numbers.", *shape)
