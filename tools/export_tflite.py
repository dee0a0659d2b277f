"""Writes a TFLite file that takes plain text and gives the encoder's outputs.

    python tools/export_tflite.py --input_dir=runs/tiny \\
        --output_file=encoder.tflite --max_seq_length=64

An interpreter needs the ops of tensorflow-text besides the built-in ones:

    from ai_edge_litert.interpreter import InterpreterWithCustomOps
    import tensorflow_text
    interpreter = InterpreterWithCustomOps(
        model_path="encoder.tflite",
        custom_op_registerers=tensorflow_text.tflite_registrar
        .SELECT_TFTEXT_OPS)
    encode = interpreter.get_signature_runner("serving_default")
    encode(text=numpy.array(["some text"]))
"""

import os
import pathlib

from absl import flags
from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.outputs import check_output_files

_INPUT_DIR = flags.DEFINE_string(
    "input_dir", None, "Checkpoint directory.", required=True
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "The TFLite file.", required=True
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length",
    None,
    "Longest text; the model's limit by default.",
    lower_bound=3,
)
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", None, "Lower-case texts, where no file says whether to."
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)


def main():
    check_input(_INPUT_DIR.value)
    inputs = [_INPUT_DIR.value, *pathlib.Path(_INPUT_DIR.value).glob("*")]
    check_output_files([_OUTPUT_FILE.value], inputs, _OVERWRITE.value)
    task = keras_bert.tasks.FeatureExtractor.from_pretrained(
        _INPUT_DIR.value,
        lowercase=_DO_LOWER_CASE.value,
        seq_length=_MAX_SEQ_LENGTH.value,
    )
    keras_bert.export.export_tflite(task, _OUTPUT_FILE.value, _OVERWRITE.value)
    logging.info(
        "Wrote %s: %.1f MB. Outputs: %s.",
        _OUTPUT_FILE.value,
        os.path.getsize(_OUTPUT_FILE.value) / 1e6,
        ", ".join(task.outputs),
    )


if __name__ == "__main__":
    command_line.run(main)
