"""Query a TensorFlow Serving server by REST.

    keras-bert query_server --model_name=mood --text='a fine film'

    keras-bert query_server --model_name=squad --question='Who?' \\
        --context='The dog.' --version_label=canary

    keras-bert query_server --model_name=mood --input_file=texts.txt

A line of JSON is printed for each row, in order: the outputs of the signature.
Rows are texts from flags, which may be repeated; or the rows of a file: a .txt
with one text per line, or a .csv, .tsv or .jsonl with the inputs of the
signature as columns. Bytes that are not UTF-8 are written as {"b64": "..."} in
a .jsonl.
"""

import itertools
import json
import signal
import urllib.parse

from keras_bert import command_line
from keras_bert import serving
from keras_bert.files.rows import json_object
from keras_bert.files.rows import read_dicts
from keras_bert.files.rows import read_lines

PROGRAM = command_line.Program(__doc__)

_MODEL_NAME = PROGRAM.required("model_name", "Name of the model in the server.")
_HOST = PROGRAM.string("host", "localhost", "Host of the server.")
_PORT = PROGRAM.integer(
    "port",
    8501,
    "REST port of the server.",
    lower_bound=1,
    upper_bound=65535,
)
_VERSION = PROGRAM.integer(
    "version",
    None,
    "Version of the model; by default the newest.",
    lower_bound=0,
)
_VERSION_LABEL = PROGRAM.optional(
    "version_label",
    "Version label to use instead of --version, such as canary.",
)
_SIGNATURE = PROGRAM.string(
    "signature", "serving_default", "Signature to call."
)
_TEXT = PROGRAM.multi_string("text", [], "Text; may be repeated.")
_TEXT_PAIR = PROGRAM.multi_string(
    "text_pair", [], "Second text of a pair; repeated as often as --text."
)
_QUESTION = PROGRAM.multi_string("question", [], "Question; may be repeated.")
_CONTEXT = PROGRAM.multi_string(
    "context", [], "Context of the question; repeated as often as --question."
)
_CHOICE = PROGRAM.multi_string(
    "choice", [], "Choice for a single --text; may be repeated."
)
_INPUT_FILE = PROGRAM.optional(
    "input_file",
    "Input file to use instead: .txt, .csv, .tsv or .jsonl, or - to "
    "read JSON lines from standard input.",
)
_BATCH_SIZE = PROGRAM.integer(
    "batch_size", 32, "Maximum number of rows per request.", lower_bound=1
)
_TIMEOUT_S = PROGRAM.float(
    "timeout_s", 60.0, "Seconds to wait for a response.", lower_bound=0.001
)


def main():
    if hasattr(signal, "SIGPIPE"):  # For pipes to `head`; not on Windows.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    command_line.check_exclusive(_VERSION, _VERSION_LABEL)
    rows = _given_rows() or _file_rows(_INPUT_FILE.value)
    for _, group in itertools.groupby(rows, _shape):
        while batch := [*itertools.islice(group, _BATCH_SIZE.value)]:
            inputs = {name: [row[name] for row in batch] for name in batch[0]}
            outputs = serving.query(
                _url(), inputs, _SIGNATURE.value, _TIMEOUT_S.value
            )
            for values in zip(*outputs.values(), strict=True):
                line = dict(zip(outputs, values, strict=True))
                print(json.dumps(line), flush=True)


def _url():
    name = urllib.parse.quote(_MODEL_NAME.value, safe="")
    url = f"http://{_HOST.value}:{_PORT.value}/v1/models/{name}"
    if _VERSION.value is not None:
        return f"{url}/versions/{_VERSION.value}"
    if _VERSION_LABEL.value is not None:
        label = urllib.parse.quote(_VERSION_LABEL.value, safe="")
        return f"{url}/labels/{label}"
    return url


def _shape(row):
    """Return the length of each list; all rows of a request must agree."""
    return {k: len(v) if isinstance(v, list) else 0 for k, v in row.items()}


def _given_rows():
    """Return the rows from flags, or an empty list with --input_file."""
    holders = [_TEXT, _TEXT_PAIR, _QUESTION, _CONTEXT]
    if _INPUT_FILE.value is not None:
        for holder in [*holders, _CHOICE]:
            command_line.check_exclusive(_INPUT_FILE, holder)
        return []
    columns = {x.name: x.value for x in holders if x.value}
    if _CHOICE.value:
        columns["choices"] = [_CHOICE.value]
    if not columns:
        raise ValueError(
            "The inputs of the model must be given: --input_file, or some of "
            "--text, --text_pair, --question, --context and --choice."
        )
    counts = {name: len(values) for name, values in columns.items()}
    if len({*counts.values()}) > 1:
        raise ValueError(
            "All inputs must be given equally often, and --choice needs "
            f"a single --text. Received: {counts}."
        )
    return [
        dict(zip(columns, values, strict=True))
        for values in zip(*columns.values(), strict=True)
    ]


def _file_rows(path):
    """Yield the rows of a file, which may be of any size."""
    if path != "-":
        return read_dicts(path)
    lines = enumerate(map(str.strip, read_lines("/dev/stdin")), 1)
    return (
        json_object(f"standard input, line {number},", line)
        for number, line in lines
        if line
    )
