"""Turn each text of a file into a vector.

    keras-bert embed --input_file=texts.txt --output_file=vectors.npy
    keras-bert embed --model_dir=sentence-transformers/all-MiniLM-L6-v2 \\
        --input_file=rows.csv --text_column=title --output_file=vectors.npy

The input is a .txt with a text a line, or a .csv, .tsv or .jsonl with a column
of texts, of any size. The output is an array that `numpy.load` reads, float32
`(num_texts, dim)`, in the order of the texts. A directory of `TextEmbedder` or
of sentence-transformers tells pooling and prompts; another model gives the mean
of the tokens' vectors.
"""

from absl import flags
from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert.data.labelled.rows import column_of
from keras_bert.training import choices

_MODEL_DIR = flags.DEFINE_string(
    "model_dir",
    None,
    "Directory or name on the Hub; by default the tiny model that comes with "
    "the library.",
)
_INPUT_FILE = flags.DEFINE_string(
    "input_file", None, "Texts: .txt, .csv, .tsv or .jsonl.", required=True
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "The vectors, a .npy.", required=True
)
_TEXT_COLUMN = flags.DEFINE_string(
    "text_column",
    "text",
    "Column of the text: its name, or its position from 0 if there is no "
    "header; not for a .txt.",
)
_PROMPT = flags.DEFINE_string(
    "prompt",
    None,
    "Name of the prompt before each text, as the model has it, such as query; "
    "by default the model's own default.",
)
_PRECISION = flags.DEFINE_enum(
    "precision",
    "auto",
    choices.PRECISIONS,
    "Of the matrix products; auto is mixed_bfloat16 where the hardware has it.",
)
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", None, "Lower-case texts, where no file says whether to."
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)


def main():
    # Imported late, so that the manual is there at once.
    import keras

    from keras_bert.checkpoints.layout import check_input
    from keras_bert.programs.prediction.asked import AskedTexts
    from keras_bert.programs.prediction.vectors import embed_file
    from keras_bert.training.precision import dtype_policy

    directory = _MODEL_DIR.value or str(keras_bert.TINY_MODEL)
    check_input(directory)
    keras.config.set_dtype_policy(dtype_policy(_PRECISION.value))
    shape = embed_file(
        AskedTexts.of_file(_INPUT_FILE.value, column_of(_TEXT_COLUMN.value)),
        _OUTPUT_FILE.value,
        lambda: keras_bert.TextEmbedder.from_pretrained(
            directory, lowercase=_DO_LOWER_CASE.value
        ),
        _PROMPT.value,
        _OVERWRITE.value,
        [directory],
    )
    logging.info("%d vectors of %d numbers.", *shape)


if __name__ == "__main__":
    command_line.run(main)
