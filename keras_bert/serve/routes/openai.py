"""The API of OpenAI: `/v1/embeddings` and `/v1/models`."""

import asyncio
import base64
import typing

import fastapi
import numpy as np
import pydantic

from keras_bert.serve.model import Model
from keras_bert.serve.routes.route import make_router
from keras_bert.serve.routes.route import server_of
from keras_bert.serve.server import RequestError
from keras_bert.serve.server import Server

# Limit of OpenAI for the token ids of a text.
_MOST_IDS = 8192
_STATUS_TYPES = {401: "authentication_error", 429: "rate_limit_error"}


def _error(error: RequestError) -> dict[str, typing.Any]:
    default = "server_error" if error.status >= 500 else "invalid_request_error"
    return {
        "error": {
            "message": error.message,
            "type": _STATUS_TYPES.get(error.status, default),
            "param": error.field,
            "code": None,
        }
    }


router = make_router(_error)


class EmbeddingsRequest(pydantic.BaseModel):
    """Body of `/v1/embeddings`."""

    input: str | list[str] | list[int] | list[list[int]]
    model: str
    encoding_format: typing.Literal["float", "base64"] = "float"
    dimensions: int | None = pydantic.Field(None, ge=1)
    input_type: typing.Literal["", "query", "document"] = ""


@router.post("/v1/embeddings")
async def embeddings(
    body: EmbeddingsRequest, request: fastapi.Request
) -> fastapi.Response:
    """Embed texts, or lists of token ids."""
    server = server_of(request)
    name, model = server.find(body.model, ["TextEmbedder"])
    texts = await _texts(body.input, server, model)
    found = await server.compute(name, texts, body.input_type)
    vectors = [_shortened(x, body.dimensions, model) for x in found.values]
    answer = {
        "object": "list",
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": _encoded(vector, body.encoding_format),
            }
            for index, vector in enumerate(vectors)
        ],
        "model": name,
        "usage": {
            "prompt_tokens": found.num_tokens,
            "total_tokens": found.num_tokens,
        },
    }
    # FastAPI would check each number.
    return fastapi.responses.JSONResponse(answer)


async def _texts(given: typing.Any, server: Server, model: Model) -> list[str]:
    if isinstance(given, str):
        return [given]
    if not given or isinstance(given[0], str):
        return given
    rows = [given] if isinstance(given[0], int) else given
    server.check_count(rows, "input")
    if max(map(len, rows)) > _MOST_IDS:
        raise RequestError(
            413,
            f"`input` must have at most {_MOST_IDS} ids in a text.",
            "input",
        )
    try:
        return await asyncio.to_thread(lambda: [*map(model.text_of, rows)])
    except (ValueError, OverflowError) as error:
        raise RequestError(400, f"`input`: {error}", "input") from None


def _shortened(
    vector: np.ndarray, dimensions: int | None, model: Model
) -> np.ndarray:
    """Keep the first values, and scale them to length 1 like the embedding."""
    if dimensions is None:
        return vector
    if dimensions > len(vector):
        raise RequestError(
            400,
            f"`dimensions` must be at most {len(vector)}. "
            f"Received: {dimensions}.",
            "dimensions",
        )
    vector = vector[:dimensions]
    length = np.linalg.norm(vector) if model.settings["normalize"] else 1.0
    return vector / max(length, 1e-12)


def _encoded(vector: np.ndarray, encoding_format: str) -> str | list[float]:
    if encoding_format == "float":
        return vector.tolist()
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


@router.get("/v1/models")
async def models(request: fastapi.Request) -> dict[str, typing.Any]:
    """List the models."""
    names = server_of(request).models
    return {"object": "list", "data": [model_object(name) for name in names]}


def model_object(name: str) -> dict[str, typing.Any]:
    """Return the description of a model."""
    return {
        "id": name,
        "object": "model",
        "created": 0,
        "owned_by": "keras_bert",
    }
