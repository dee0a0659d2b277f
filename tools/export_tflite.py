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

from absl import flags
from absl import logging

from keras_bert import command_line
from keras_bert.export import export_tflite
from keras_bert.files import check_writable
from keras_bert.tasks import TextEncoder

_INPUT_DIR = flags.DEFINE_string(
    "input_dir", None, "Checkpoint directory.", required=True
)
_OUTPUT_FILE = flags.DEFINE_string(
    "output_file", None, "The TFLite file.", required=True
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length", None, "Longest text; the model's limit by default."
)


def main():
    check_writable(os.path.dirname(_OUTPUT_FILE.value) or ".")
    task = TextEncoder.from_pretrained(
        _INPUT_DIR.value, seq_length=_MAX_SEQ_LENGTH.value
    )
    export_tflite(task, _OUTPUT_FILE.value)
    logging.info(
        "Wrote %s: %.1f MB. Outputs: %s.",
        _OUTPUT_FILE.value,
        os.path.getsize(_OUTPUT_FILE.value) / 1e6,
        ", ".join(task.outputs),
    )


if __name__ == "__main__":
    command_line.run(main)
