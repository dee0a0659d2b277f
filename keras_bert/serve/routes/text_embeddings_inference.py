"""The API of text-embeddings-inference (TEI)."""

import typing

import fastapi
import numpy as np
import pydantic

from keras_bert.serve.routes.route import make_router
from keras_bert.serve.routes.route import server_of
from keras_bert.serve.server import RequestError

_ERROR_TYPES = {413: "Validation", 429: "Overloaded", 500: "Backend"}


def _error(error: RequestError) -> dict[str, typing.Any]:
    kind = _ERROR_TYPES.get(error.status, "Validation")
    return {"error": error.message, "error_type": kind}


router = make_router(_error)


class EmbedRequest(pydantic.BaseModel):
    """Body of `/embed` and `/embed_sparse`."""

    inputs: str | list[str]
    normalize: bool = True
    prompt_name: typing.Literal["query", "document"] | None = None


class RerankRequest(pydantic.BaseModel):
    """Body of `/rerank`."""

    query: str
    texts: list[str]
    return_text: bool = False


class PredictRequest(pydantic.BaseModel):
    """Body of `/predict`: a text, a pair, or a list of both."""

    inputs: str | list[str] | list[list[str]]


@router.post("/embed")
async def embed(
    body: EmbedRequest, request: fastapi.Request
) -> fastapi.Response:
    """Embed texts."""
    vectors = np.stack(await _embeddings(body, request, "TextEmbedder"))
    if body.normalize:
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors = vectors / np.maximum(lengths, 1e-12)
    # FastAPI would check each number.
    return fastapi.responses.JSONResponse(vectors.tolist())


@router.post("/embed_sparse")
async def embed_sparse(
    body: EmbedRequest, request: fastapi.Request
) -> list[list[dict[str, int | float]]]:
    """Return the weights of word pieces."""
    return [
        [{"index": index, "value": value} for index, value in weights.items()]
        for weights in await _embeddings(body, request, "SparseEmbedder")
    ]


async def _embeddings(
    body: EmbedRequest, request: fastapi.Request, task: str
) -> list[typing.Any]:
    server = server_of(request)
    name, _ = server.find(None, [task])
    texts = [body.inputs] if isinstance(body.inputs, str) else body.inputs
    if not texts:
        raise RequestError(422, "`inputs` must not be empty.", "inputs")
    role = body.prompt_name or ""
    return (await server.compute(name, texts, role, "inputs")).values


@router.post("/rerank")
async def rerank(
    body: RerankRequest, request: fastapi.Request
) -> list[dict[str, typing.Any]]:
    """Sort texts by their relevance for a query."""
    server = server_of(request)
    name, _ = server.find(None, ["PairRanker"])
    pairs = [(body.query, text) for text in body.texts]
    scores = (await server.compute(name, pairs, field="texts")).values
    results: list[dict[str, typing.Any]] = []
    for index in sorted(range(len(scores)), key=lambda i: -scores[i]):
        results.append({"index": index, "score": float(scores[index])})
        if body.return_text:
            results[-1]["text"] = body.texts[index]
    return results


@router.post("/predict")
async def predict(
    body: PredictRequest, request: fastapi.Request
) -> list[typing.Any]:
    """Classify texts or pairs."""
    server = server_of(request)
    name, model = server.find(None, ["TextClassifier"])
    is_list = isinstance(body.inputs, list) and isinstance(
        next(iter(body.inputs), None), list
    )
    given = body.inputs if is_list else [body.inputs]
    texts = [_text_or_pair(x) for x in given]
    found = await server.compute(name, texts, field="inputs")
    answers = [
        [
            {"label": model.labels[index], "score": float(row[index])}
            for index in np.argsort(-row, kind="stable")
        ]
        for row in found.values
    ]
    return answers if is_list else answers[0]


def _text_or_pair(given: str | list[str]) -> str | tuple[str, ...]:
    if isinstance(given, str):
        return given
    if len(given) not in (1, 2):
        raise RequestError(
            422, "`inputs` must have texts or pairs of texts.", "inputs"
        )
    return given[0] if len(given) == 1 else tuple(given)
