"""The REST API of TensorFlow Serving."""

import typing

import fastapi
import numpy as np
import pydantic

from keras_bert.serve.model import OUTPUTS
from keras_bert.serve.model import Model
from keras_bert.serve.routes.openai import model_object
from keras_bert.serve.routes.route import make_router
from keras_bert.serve.routes.route import server_of
from keras_bert.serve.server import RequestError

_TASKS = ("TextEmbedder", "PairRanker", "TextClassifier")


def _error(error: RequestError) -> dict[str, typing.Any]:
    return {"error": error.message}


router = make_router(_error)


class PredictRequest(pydantic.BaseModel):
    """Body of `:predict`, by column (`inputs`) or by row (`instances`)."""

    inputs: dict[str, list[str]] | list[str] | None = None
    instances: list[dict[str, str] | str] | None = None


@router.get("/v1/models/{name:path}/metadata")
async def metadata(
    name: str, request: fastapi.Request
) -> dict[str, typing.Any]:
    """Return the signature of a model."""
    _, model = server_of(request).find(name, _TASKS)
    inputs = {x: {"dtype": "DT_STRING", "name": x} for x in _inputs(model)}
    names = [OUTPUTS[model.task]]
    if model.labels:
        names.append(_label_name(model))
    outputs = {x: {"name": x} for x in names}
    signature = {"inputs": inputs, "outputs": outputs}
    definitions = {"signature_def": {"serving_default": signature}}
    return {
        "model_spec": {"name": name, "version": "1"},
        "metadata": {"signature_def": definitions},
    }


@router.post("/v1/models/{name:path}:predict")
async def predict(
    name: str, body: PredictRequest, request: fastapi.Request
) -> dict[str, typing.Any]:
    """Compute the outputs of texts."""
    server = server_of(request)
    name, model = server.find(name, _TASKS)
    columns = _columns(body, _inputs(model))
    texts = columns[0] if len(columns) == 1 else [*zip(*columns, strict=True)]
    field = "instances" if body.inputs is None else "inputs"
    values = (await server.compute(name, texts, field=field)).values
    rows = np.asarray(values).tolist()
    outputs = {OUTPUTS[model.task]: rows}
    if model.labels:
        outputs[_label_name(model)] = _labels(rows, model)
    if body.inputs is None:
        names = [*outputs]
        named = [
            dict(zip(names, row, strict=True))
            for row in zip(*outputs.values(), strict=True)
        ]
        return {"predictions": rows if len(names) == 1 else named}
    return {"outputs": rows if len(outputs) == 1 else outputs}


@router.get("/v1/models/{name:path}")
async def status(name: str, request: fastapi.Request) -> dict[str, typing.Any]:
    """Return the state of a model, also as an object of OpenAI."""
    server_of(request).find(name, [*OUTPUTS])
    state = {"error_code": "OK", "error_message": ""}
    version = {"version": "1", "state": "AVAILABLE", "status": state}
    return {**model_object(name), "model_version_status": [version]}


def _inputs(model: Model) -> tuple[str, ...]:
    return ("text", "text_pair") if model.is_pair else ("text",)


def _label_name(model: Model) -> str:
    return "labels" if model.settings["multi_label"] else "label"


def _labels(rows: list[list[float]], model: Model) -> list:
    """Return the most probable label, or all labels of at least 0.5."""
    labels = typing.cast(list[str], model.labels)
    orders = [sorted(range(len(row)), key=lambda i: -row[i]) for row in rows]
    if not model.settings["multi_label"]:
        return [labels[order[0]] for order in orders]
    return [
        [labels[i] if row[i] >= 0.5 else "" for i in order]
        for order, row in zip(orders, rows, strict=True)
    ]


def _columns(body: PredictRequest, names: tuple[str, ...]) -> list[list[str]]:
    """Return the list of texts of each input."""
    if isinstance(body.inputs, list):
        given: typing.Any = {names[0]: body.inputs}
    elif body.inputs is not None:
        given = body.inputs
    elif body.instances is not None:
        rows = [
            {names[0]: row} if isinstance(row, str) else row
            for row in body.instances
        ]
        keys = {key for row in rows for key in row} or {*names}
        if any({*row} != keys for row in rows):
            raise RequestError(400, "All `instances` must have the same keys.")
        given = {key: [row[key] for row in rows] for key in keys}
    else:
        raise RequestError(400, "The body must have `inputs` or `instances`.")
    if {*given} != {*names}:
        raise RequestError(
            400,
            f"The inputs must be {', '.join(names)}. Received: "
            f"{', '.join(sorted(given)) or 'none'}.",
        )
    columns = [given[name] for name in names]
    if len({*map(len, columns)}) > 1:
        raise RequestError(400, "All inputs must have as many texts.")
    return columns
