"""The APIs of Cohere and Jina: `/v1/rerank` and `/v2/rerank`."""

import typing
import uuid

import fastapi
import pydantic

from keras_bert.serve.routes.route import make_router
from keras_bert.serve.routes.route import server_of
from keras_bert.serve.server import RequestError


def _error(error: RequestError) -> dict[str, typing.Any]:
    return {"message": error.message}


router = make_router(_error)


class Document(pydantic.BaseModel):
    """Document of a request with its text in a field."""

    text: str


class RerankRequest(pydantic.BaseModel):
    """Body of `/v1/rerank` and `/v2/rerank`."""

    query: str
    documents: list[str | Document]
    model: str | None = None
    top_n: int | None = pydantic.Field(None, ge=1)
    return_documents: bool = False


@router.post("/v1/rerank")
@router.post("/v2/rerank")
async def rerank(
    body: RerankRequest, request: fastapi.Request
) -> dict[str, typing.Any]:
    """Sort documents by their relevance for a query."""
    server = server_of(request)
    name, _ = server.find(body.model, ["PairRanker"])
    texts = [x if isinstance(x, str) else x.text for x in body.documents]
    pairs = [(body.query, text) for text in texts]
    found = await server.compute(name, pairs, field="documents")
    order = sorted(range(len(texts)), key=lambda i: -found.values[i])
    results: list[dict[str, typing.Any]] = []
    for index in order[: body.top_n]:
        score = float(found.values[index])
        results.append({"index": index, "relevance_score": score})
        if body.return_documents:
            results[-1]["document"] = {"text": texts[index]}
    version = request.url.path.split("/")[1].removeprefix("v")
    return {
        "id": str(uuid.uuid4()),
        "model": name,
        "results": results,
        "meta": {
            "api_version": {"version": version},
            "billed_units": {"search_units": 1},
        },
        "usage": {"total_tokens": found.num_tokens},
    }
