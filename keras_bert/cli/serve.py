"""Serve trained models over HTTP.

    keras-bert serve runs/mood/model minilm-onnx
    keras-bert serve

A directory is a trained task, a model of sentence-transformers or Hugging Face,
or an export by export_onnx or export_saved_model; without one, the tiny model
of the library is served. The server has the routes of OpenAI (/v1/embeddings),
Cohere and Jina (/v1/rerank), text-embeddings-inference (/embed, /embed_sparse,
/rerank, /predict) and TensorFlow Serving (/v1/models/NAME:predict). /docs
describes them. Only this machine can reach the server, unless --host is set.
Install with `pip install 'keras-bert-tf[serve]'`. Stop with Ctrl-C or SIGTERM,
which finish the running requests. See docs/serve.md.
"""

import json
import os
import shlex
import tempfile
import urllib.parse

from keras_bert import command_line
from keras_bert import lazy

PROGRAM = command_line.Program(__doc__, takes="DIRECTORY")

_NAME = PROGRAM.list(
    "name", [], "Names of the models; by default the directory names."
)
_HOST = PROGRAM.string("host", "127.0.0.1", "Address to listen on.")
_PORT = PROGRAM.integer("port", 8000, "Port.", lower_bound=1, upper_bound=65535)
_WORKERS = PROGRAM.integer("workers", 1, "Number of processes.", lower_bound=1)
_API_KEY = PROGRAM.string(
    "api_key",
    None,
    "Key that requests must contain; by default the environment variable "
    "KERAS_BERT_API_KEY, or none.",
)
_MAX_BATCH_TOKENS = PROGRAM.integer(
    "max_batch_tokens",
    1024,
    "Maximum number of tokens that a model computes together.",
    lower_bound=1,
)
_MAX_WAIT_MS = PROGRAM.float(
    "max_wait_ms",
    0.0,
    "Milliseconds that a batch waits for more requests.",
    lower_bound=0.0,
)
_MAX_QUEUE = PROGRAM.integer(
    "max_queue",
    8192,
    "Maximum number of texts that wait; more are answered with status 429.",
    lower_bound=1,
)
_MAX_TEXTS = PROGRAM.integer(
    "max_texts", 2048, "Maximum number of texts in a request.", lower_bound=1
)
_MAX_CHARACTERS = PROGRAM.integer(
    "max_characters",
    2_000_000,
    "Maximum number of characters in a request.",
    lower_bound=1,
)
_SHUTDOWN_S = PROGRAM.integer(
    "shutdown_s",
    30,
    "Seconds after SIGTERM in which running requests may end.",
    lower_bound=0,
)


def main():
    uvicorn = lazy.import_package("uvicorn", "A server")
    # Imported late, so that --help is fast.
    from keras_bert.serve.app import METRICS_DIRECTORY
    from keras_bert.serve.app import SETTINGS
    from keras_bert.serve.app import app_from_environment
    from keras_bert.serve.models import is_onnx

    if not PROGRAM.arguments or not all(map(is_onnx, PROGRAM.arguments)):
        command_line.import_quietly("keras")
    os.environ[SETTINGS] = json.dumps(_settings())
    host = f"[{_HOST.value}]" if ":" in _HOST.value else _HOST.value
    address = f"http://{host}:{_PORT.value}"
    listen = {
        "host": _HOST.value,
        "port": _PORT.value,
        "log_level": "warning",
        "timeout_graceful_shutdown": _SHUTDOWN_S.value,
    }
    # With several workers, this finds errors before they start.
    app = app_from_environment()
    print("\n".join(_examples(app.state.server, address)))
    print(f"Documentation: {address}/docs", flush=True)
    if _WORKERS.value == 1:
        uvicorn.run(app, **listen)
        return
    del app
    with tempfile.TemporaryDirectory() as directory:
        os.environ[METRICS_DIRECTORY] = directory
        uvicorn.run(
            "keras_bert.serve.app:app_from_environment",
            factory=True,
            workers=_WORKERS.value,
            **listen,
        )


def _settings():
    """Return the arguments of `make_app`."""
    num_threads = max(1, os.cpu_count() // _WORKERS.value)
    return {
        "directories": PROGRAM.arguments,
        "names": _NAME.value,
        "api_key": _API_KEY.value
        or os.environ.get("KERAS_BERT_API_KEY")
        or None,
        "max_batch_tokens": _MAX_BATCH_TOKENS.value,
        "max_wait_ms": _MAX_WAIT_MS.value,
        "max_queue": _MAX_QUEUE.value,
        "max_texts": _MAX_TEXTS.value,
        "max_characters": _MAX_CHARACTERS.value,
        "num_threads": num_threads if _WORKERS.value > 1 else None,
    }


def _examples(server, address):
    """Return a `curl` command for each model."""
    routes = {
        "TextEmbedder": (
            "/v1/embeddings",
            '{"model": "NAME", "input": "a fine film"}',
        ),
        "PairRanker": (
            "/v1/rerank",
            '{"model": "NAME", "query": "a film", "documents": ["a", "b"]}',
        ),
        "TextClassifier": (
            "/v1/models/NAME:predict",
            '{"inputs": {"text": ["a fine film"]}}',
        ),
        "SparseEmbedder": ("/embed_sparse", '{"inputs": "a fine film"}'),
    }
    for name, model in server.models.items():
        route, body = routes[model.task]
        if model.task == "TextClassifier" and model.is_pair:
            body = body.replace("}}", ', "text_pair": ["a bore"]}}')
        quoted = json.dumps(name)[1:-1]
        url = f"{address}{route}".replace("NAME", urllib.parse.quote(name))
        yield (
            f"curl {url} -H 'Content-Type: application/json' "
            f"-d {shlex.quote(body.replace('NAME', quoted))}"
        )
