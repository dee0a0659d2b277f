"""Asks a model of a TensorFlow Serving server.

    keras-bert query_server --model_name=mood --text='a fine film'

    keras-bert query_server --model_name=squad --protocol=grpc \\
        --question='Who?' --context='The dog.' --version_label=canary

    keras-bert query_server --model_name=mood --input_file=texts.txt

The answer to each row is a line of JSON, in order: the outputs of the
signature. Rows are texts from flags, each of which may be repeated; or the
lines of a file: a .txt with a text a line, or a .csv, .tsv or .jsonl whose
columns are the inputs of the signature. Bytes that are no UTF-8 are given and
written as {"b64": "..."}. REST needs no TensorFlow; gRPC needs the extra
`serving`.
"""

import json
import signal

from absl import flags

from keras_bert import command_line

_MODEL_NAME = flags.DEFINE_string(
    "model_name", None, "Name of the model in the server.", required=True
)
_HOST = flags.DEFINE_string("host", "localhost", "Where the server is.")
_PORT = flags.DEFINE_integer(
    "port",
    None,
    "Its port; by default 8501, of gRPC 8500.",
    lower_bound=1,
    upper_bound=65535,
)
_PROTOCOL = flags.DEFINE_enum(
    "protocol", "rest", ["rest", "grpc"], "How it is asked."
)
_VERSION = flags.DEFINE_integer(
    "version",
    None,
    "Version of the model; by default the newest.",
    lower_bound=0,
)
_VERSION_LABEL = flags.DEFINE_string(
    "version_label", None, "Label of a version instead, such as canary."
)
_SIGNATURE = flags.DEFINE_string(
    "signature", "serving_default", "Which signature is asked."
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
_INPUT_FILE = flags.DEFINE_string(
    "input_file",
    None,
    ".txt, .csv, .tsv or .jsonl instead; - is standard input, JSON lines.",
)
_BATCH_SIZE = flags.DEFINE_integer(
    "batch_size", 32, "Most rows in one request.", lower_bound=1
)
_TIMEOUT_S = flags.DEFINE_float(
    "timeout_s", 60.0, "Seconds to wait for an answer.", lower_bound=0.001
)


def main():
    # Imported late, so that the manual is there at once.
    from keras_bert import serving
    from keras_bert.serving.rows import file_rows
    from keras_bert.serving.strings import to_json

    command_line.refuse_both(_VERSION, _VERSION_LABEL)
    given = _given_rows()
    kinds = {"rest": "RestClient", "grpc": "GrpcClient"}
    client = getattr(serving, kinds[_PROTOCOL.value])(
        _MODEL_NAME.value,
        _HOST.value,
        _PORT.value,
        _VERSION.value,
        _VERSION_LABEL.value,
        _TIMEOUT_S.value,
    )
    signature = client.signature(_SIGNATURE.value)
    rows = given or file_rows(_INPUT_FILE.value, signature)
    for answer in serving.answered_rows(
        client, rows, signature.name, _BATCH_SIZE.value
    ):
        values = {name: to_json(value) for name, value in answer.items()}
        print(json.dumps(values), flush=True)


def _given_rows():
    """The rows of the flags; none where there is a file."""
    from keras_bert.serving.rows import given_rows

    holders = [_TEXT, _TEXT_PAIR, _QUESTION, _CONTEXT]
    if _INPUT_FILE.value is not None:
        for holder in [*holders, _CHOICE]:
            command_line.refuse_both(_INPUT_FILE, holder)
        return []
    rows = given_rows({x.name: x.value for x in holders}, _CHOICE.value)
    if not rows:
        raise ValueError(
            "Texts must be given: --input_file, or --text, --text_pair, "
            "--question, --context and --choice, as the model takes them."
        )
    return rows


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # As `head` wants it.
    command_line.run(main)
