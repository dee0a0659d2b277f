"""Asks an exported SavedModel, with tensorflow and tensorflow_text alone.

    python tools/query_saved_model.py --model_dir=served/1 \\
        --text='The function returns a [MASK] of strings.'

It prints the outputs of `serving_default` as JSON.
"""

import json
import sys

import tensorflow as tf
import tensorflow_text  # noqa: F401, registers the ops of the tokenizer
from absl import app
from absl import flags

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "The SavedModel.", required=True
)
_TEXT = flags.DEFINE_multi_string(
    "text", None, "One or more texts.", required=True
)


def main(argv):
    if argv[1:]:
        sys.exit(f"Error: Unexpected arguments: {' '.join(argv[1:])}.")
    if not tf.saved_model.contains_saved_model(_MODEL_DIR.value):
        sys.exit(
            "Error: --model_dir must be a SavedModel. "
            f"Received: {_MODEL_DIR.value!r}."
        )
    model = tf.saved_model.load(_MODEL_DIR.value)
    outputs = model.signatures["serving_default"](text=tf.constant(_TEXT.value))
    print(
        json.dumps(
            {name: _plain(value.numpy()) for name, value in outputs.items()}
        )
    )


def _plain(array):
    decoded = array.astype(str) if array.dtype == object else array
    return decoded.tolist()


if __name__ == "__main__":
    app.run(main)
