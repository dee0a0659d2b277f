"""Query a SavedModel; needs only TensorFlow.

    keras-bert query_saved_model --model_dir=served/small \\
        --text='The function returns a [MASK] of strings.'

Of a directory with numbered versions it asks the newest. It prints the outputs
of `serving_default` as JSON. The texts are those that the model takes, each
flag as often as there are rows: --text; --text with --text_pair; --question
with --context; or one --text with several --choice.
"""

import base64
import contextlib
import json
import os
import pathlib
import signal
import sys

from absl import app
from absl import flags
from absl import logging

_MODEL_DIR = flags.DEFINE_string(
    "model_dir", None, "A SavedModel or its versions.", required=True
)
_TEXT = flags.DEFINE_multi_string("text", [], "A text; several times.")
_TEXT_PAIR = flags.DEFINE_multi_string(
    "text_pair", [], "Of pairs, the second text; as often as --text."
)
_QUESTION = flags.DEFINE_multi_string("question", [], "A question.")
_CONTEXT = flags.DEFINE_multi_string(
    "context", [], "Where its answer is; as often as --question."
)
_CHOICE = flags.DEFINE_multi_string(
    "choice", [], "One of the choices for a single --text; several times."
)


def main(argv):
    if argv[1:]:
        sys.exit(f"Error: Unexpected arguments: {' '.join(argv[1:])}.")
    directory = _newest_version(_MODEL_DIR.value)
    inputs = _inputs()
    logging.set_verbosity(logging.ERROR)
    with _quiet():
        import tensorflow as tf
        import tensorflow_text  # noqa: F401, registers the tokenizer's ops
    model = tf.saved_model.load(directory)
    serve = model.signatures["serving_default"]
    (_, taken) = serve.structured_input_signature
    if {*taken} != {*inputs}:
        sys.exit(
            f"Error: The model takes {', '.join(sorted(taken))}. "
            f"Received: {', '.join(sorted(inputs)) or 'none'}."
        )
    tensors = {name: tf.constant(rows) for name, rows in inputs.items()}
    outputs = serve(**tensors)
    print(
        json.dumps(
            {
                name: _plain(value.numpy().tolist())
                for name, value in outputs.items()
            }
        )
    )


def _newest_version(directory):
    """Return the directory itself or its version of the greatest number."""
    found = [p.parent for p in pathlib.Path(directory).glob("*/saved_model.pb")]
    versions = [path for path in found if path.name.isdecimal()]
    newest = max(versions, key=lambda path: int(path.name), default=directory)
    if not os.path.isfile(os.path.join(newest, "saved_model.pb")):
        sys.exit(
            "Error: --model_dir must be a SavedModel, or a directory with "
            f"numbered versions of one. Received: {directory!r}."
        )
    return str(newest)


def _inputs():
    """The bytes of the texts that were given, by the names of the inputs."""
    inputs = {
        holder.name: [os.fsencode(text) for text in holder.value]
        for holder in (_TEXT, _TEXT_PAIR, _QUESTION, _CONTEXT)
        if holder.value
    }
    if _CHOICE.value:
        inputs["choices"] = [[os.fsencode(text) for text in _CHOICE.value]]
    counts = {name: len(rows) for name, rows in inputs.items()}
    if len({*counts.values()}) > 1:
        sys.exit(
            "Error: Of each input as many must be given, and --choice is for "
            f"a single --text. Received: {counts}."
        )
    return inputs


def _plain(values):
    """Values as JSON has them; bytes that are no UTF-8 as base64."""
    if isinstance(values, list):
        return [_plain(value) for value in values]
    if not isinstance(values, bytes):
        return values
    try:
        return values.decode("utf-8")
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(values).decode()}


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
        print(
            "Usage: keras-bert query_saved_model --model_dir=... [--flag=...]"
        )
        print(f"\n{__doc__.strip()}\n\nFlags:\n")
        for holder in (
            _MODEL_DIR,
            _TEXT,
            _TEXT_PAIR,
            _QUESTION,
            _CONTEXT,
            _CHOICE,
        ):
            flag = flags.FLAGS[holder.name]
            meaning = flag.help.splitlines()[0].removesuffix(";")
            note = " (required)" if holder is _MODEL_DIR else ""
            print(f"  --{holder.name:<12}{meaning}{note}")
        sys.exit(0)
    try:
        return flags.FLAGS(argv)
    except flags.Error as error:
        sys.exit(f"Error: {error} --help shows the manual.".replace("\n", " "))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # As `head` wants it.
    app.run(main, flags_parser=_parse)
