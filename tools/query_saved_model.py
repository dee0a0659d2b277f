"""Asks an exported SavedModel, with tensorflow and tensorflow_text alone.

    python tools/query_saved_model.py --model_dir=served/1 \\
        --text='The function returns a [MASK] of strings.'

It prints the outputs of `serving_default` as JSON.
"""

import contextlib
import json
import os
import signal
import sys

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
    if not os.path.isfile(os.path.join(_MODEL_DIR.value, "saved_model.pb")):
        sys.exit(
            "Error: --model_dir must be a SavedModel. "
            f"Received: {_MODEL_DIR.value!r}."
        )
    with _quiet():
        import tensorflow as tf
        import tensorflow_text  # noqa: F401, registers the tokenizer's ops
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


@contextlib.contextmanager
def _quiet():
    """What TensorFlow prints while it starts does not reach the screen."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    screen, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(screen, 2)
        os.close(screen)
        os.close(nowhere)


def _parse(argv):
    """The manual, or the flags."""
    if {*argv[1:]} & {"-h", "-help", "--help", "-helpshort", "--helpshort"}:
        print(f"{__doc__.strip()}\n\nFlags:\n")
        for holder in (_MODEL_DIR, _TEXT):
            meaning = flags.FLAGS[holder.name].help.splitlines()[0].strip(";")
            print(f"  --{holder.name:<12}{meaning} (required)")
        sys.exit(0)
    try:
        return flags.FLAGS(argv)
    except flags.Error as error:
        sys.exit(f"Error: {error} --help shows the manual.".replace("\n", " "))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # As `head` wants it.
    app.run(main, flags_parser=_parse)
