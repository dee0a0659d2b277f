"""ASGI application of a server."""

import json
import os
import pathlib
import typing
from collections.abc import Sequence

import fastapi
import prometheus_client
import prometheus_client.multiprocess
import starlette.exceptions

from keras_bert.locations import TINY_MODEL
from keras_bert.serve.models import load_model
from keras_bert.serve.routes import openai
from keras_bert.serve.routes import rerank
from keras_bert.serve.routes import tensorflow_serving
from keras_bert.serve.routes import text_embeddings_inference
from keras_bert.serve.server import Server
from keras_bert.serve.server import ServerOptions
from keras_bert.typing import Path
from keras_bert.version import VERSION

_ROUTERS = (openai, rerank, text_embeddings_inference, tensorflow_serving)
# Environment variable with the arguments of `make_app`, as JSON.
SETTINGS = "KERAS_BERT_SERVE"
# Environment variable with the directory in which workers share their metrics.
# `prometheus_client` reads it.
METRICS_DIRECTORY = "PROMETHEUS_MULTIPROC_DIR"


def make_app(
    directories: Sequence[Path] = (),
    names: Sequence[str] = (),
    **options: typing.Any,
) -> fastapi.FastAPI:
    """Load models and create an ASGI application that serves them.

    Args:
        directories: saved tasks, directories of sentence-transformers or
            Hugging Face, or exports by `export_onnx` or `export_saved_model`.
            Defaults to the tiny model of the library.
        names: name of each model. Defaults to the names of the directories.
        **options: fields of `ServerOptions`.

    Returns:
        A `fastapi.FastAPI`, for uvicorn or another ASGI server.

    Raises:
        ValueError: a model cannot be served, or two have the same name.
    """
    settings = ServerOptions(**options)
    directories = [*directories] or [TINY_MODEL]
    names = [*names] or [pathlib.Path(x).resolve().name for x in directories]
    if len(names) != len(directories) or len({*names}) < len(names):
        raise ValueError(
            "`names` must be a different name for each of the "
            f"{len(directories)} directories. Received: {', '.join(names)}."
        )
    models = {
        name: load_model(directory, settings.num_threads)
        for name, directory in zip(names, directories, strict=True)
    }
    app = fastapi.FastAPI(title="keras_bert", version=VERSION)
    app.state.server = Server(models, settings)
    for module in _ROUTERS:
        app.include_router(module.router)
    app.add_api_route("/health", _health, methods=["GET", "HEAD"])
    app.add_api_route("/metrics", _metrics)
    app.add_exception_handler(starlette.exceptions.HTTPException, _unknown)
    return app


def app_from_environment() -> fastapi.FastAPI:
    """Create the application of a worker process."""
    return make_app(**json.loads(os.environ[SETTINGS]))


async def _health() -> dict[str, str]:
    """Return status 200."""
    return {"status": "ok"}


async def _metrics(request: fastapi.Request) -> fastapi.Response:
    """Return the metrics of all workers for Prometheus."""
    registry = prometheus_client.REGISTRY
    if METRICS_DIRECTORY in os.environ:
        registry = prometheus_client.CollectorRegistry()
        prometheus_client.multiprocess.MultiProcessCollector(registry)
    return fastapi.Response(
        prometheus_client.generate_latest(registry),
        media_type=prometheus_client.CONTENT_TYPE_LATEST,
    )


async def _unknown(
    request: fastapi.Request, error: Exception
) -> fastapi.Response:
    """Answer requests without a route."""
    status = getattr(error, "status_code", 500)
    message = f"{request.method} {request.url.path}: {error}"
    headers = getattr(error, "headers", None)
    return fastapi.responses.JSONResponse({"error": message}, status, headers)
