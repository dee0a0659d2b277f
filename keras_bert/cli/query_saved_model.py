"""Query a SavedModel with only TensorFlow installed.

    keras-bert query_saved_model --model_dir=served/small \\
        --text='The function returns a [MASK] of strings.'

If the directory has numbered versions, the newest is queried. The outputs of
`serving_default` are printed as JSON. The flags depend on the inputs of the
model and are repeated for each row: --text; --text with --text_pair; --question
with --context; or one --text with several --choice.
"""

import argparse
import base64
import json
import os
import pathlib
import signal
import sys

_INPUTS = {
    "text": "A text; may be repeated.",
    "text_pair": "Second text of a pair; repeated as often as --text.",
    "question": "A question.",
    "context": "Context of the question; repeated as often as --question.",
    "choice": "A choice for a single --text; may be repeated.",
}


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        sys.exit(f"Error: {message}. --help shows the manual.")


def main():
    if hasattr(signal, "SIGPIPE"):  # For pipes to `head`; not on Windows.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    parser = _Parser(
        usage="keras-bert query_saved_model --model_dir=... [--flag=...]",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--model_dir", required=True, help="SavedModel or its parent folder."
    )
    for name, meaning in _INPUTS.items():
        parser.add_argument(f"--{name}", action="append", help=meaning)
    given = vars(parser.parse_args())
    directory = _newest_version(given.pop("model_dir"))
    inputs = _inputs(given)
    tf = _quiet_tensorflow()
    model = tf.saved_model.load(directory)
    serve = model.signatures["serving_default"]
    (_, taken) = serve.structured_input_signature
    if {*taken} != {*inputs}:
        sys.exit(
            f"Error: The model takes {', '.join(sorted(taken))}. "
            f"Received: {', '.join(sorted(inputs)) or 'none'}."
        )
    tensors = {name: tf.constant(rows) for name, rows in inputs.items()}
    outputs = {
        name: _plain(value.numpy().tolist())
        for name, value in serve(**tensors).items()
    }
    print(json.dumps(outputs))


def _newest_version(directory):
    """Return the directory, or its subfolder with the greatest number."""
    folders = [
        p.parent for p in pathlib.Path(directory).glob("*/saved_model.pb")
    ]
    versions = [path for path in folders if path.name.isdecimal()]
    newest = max(versions, key=lambda path: int(path.name), default=directory)
    if not os.path.isfile(os.path.join(newest, "saved_model.pb")):
        sys.exit(
            "Error: --model_dir must be a SavedModel, or a directory with "
            f"numbered versions of one. Received: {directory!r}."
        )
    return str(newest)


def _inputs(given):
    """Return a dict from the names of the inputs to lists of bytes."""
    inputs = {
        name: [os.fsencode(text) for text in texts]
        for name, texts in given.items()
        if texts
    }
    if "choice" in inputs:
        inputs["choices"] = [inputs.pop("choice")]
    counts = {name: len(rows) for name, rows in inputs.items()}
    if len({*counts.values()}) > 1:
        sys.exit(
            "Error: All inputs must be given equally often, and --choice is "
            f"for a single --text. Received: {counts}."
        )
    return inputs


def _quiet_tensorflow():
    """Import TensorFlow without its startup messages."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    screen, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        import tensorflow as tf
        import tensorflow_text  # noqa: F401, registers the tokenizer's ops
    finally:
        os.dup2(screen, 2)
        os.close(screen)
        os.close(nowhere)
    tf.get_logger().setLevel("ERROR")
    return tf


def _plain(values):
    """Convert values for JSON; bytes that are not UTF-8 become base64."""
    if isinstance(values, list):
        return [_plain(value) for value in values]
    if not isinstance(values, bytes):
        return values
    try:
        return values.decode("utf-8")
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(values).decode()}


if __name__ == "__main__":
    main()
