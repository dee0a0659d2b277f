"""Query a server with the clients of other projects; a test runs this.

    python tests/serve/clients.py FOLDER

FOLDER has the ONNX exports `embedder` and `ranker`. The embeddings and scores
of each client are written to `found.json`.
"""

import json
import pathlib
import sys
import threading
import time

import cohere
import litellm
import llama_index.embeddings.openai as llama_index
import openai
import uvicorn
from langchain_openai import OpenAIEmbeddings

from keras_bert.serve import make_app

_KEY = "secret"
_QUERY = "a bird"


def main(folder):
    texts = json.loads((folder / "texts.json").read_text())
    directories = [folder / "embedder", folder / "ranker"]
    app = make_app(directories, api_key=_KEY)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    try:
        found = {
            "embeddings": _embeddings(address, texts),
            "scores": _scores(address, texts),
        }
    finally:
        server.should_exit = True
        thread.join()
    (folder / "found.json").write_text(json.dumps(found))


def _embeddings(address, texts):
    """Return the embeddings of the texts by client."""
    base = f"{address}/v1"
    client = openai.OpenAI(base_url=base, api_key=_KEY)
    assert [x.id for x in client.models.list()] == ["embedder", "ranker"]
    answer = client.embeddings.create(model="embedder", input=texts)
    floats = client.embeddings.create(
        model="embedder", input=texts, encoding_format="float"
    )
    assert answer.usage == floats.usage
    langchain = OpenAIEmbeddings(
        model="embedder",
        base_url=base,
        api_key=_KEY,
        check_embedding_ctx_length=False,
    )
    llama = llama_index.OpenAIEmbedding(
        model_name="embedder", api_base=base, api_key=_KEY
    )
    lite = litellm.embedding(
        model="openai/embedder", input=texts, api_base=base, api_key=_KEY
    )
    return {
        "openai": [row.embedding for row in answer.data],
        "openai, floats": [row.embedding for row in floats.data],
        "langchain": langchain.embed_documents(texts),
        "llama_index": llama.get_text_embedding_batch(texts),
        "litellm": [row["embedding"] for row in lite.data],
    }


def _scores(address, texts):
    """Return the scores of the texts for a query, by client."""
    clients = {
        "cohere": cohere.Client(_KEY, base_url=address),
        "cohere 2": cohere.ClientV2(_KEY, base_url=address),
    }
    results = {
        name: [
            (x.index, x.relevance_score)
            for x in client.rerank(
                model="ranker", query=_QUERY, documents=texts
            ).results
        ]
        for name, client in clients.items()
    }
    lite = litellm.rerank(
        model="cohere/ranker",
        query=_QUERY,
        documents=texts,
        api_base=address,
        api_key=_KEY,
    )
    results["litellm"] = [
        (x["index"], x["relevance_score"]) for x in lite.results
    ]
    return {
        name: [score for _, score in sorted(pairs)]
        for name, pairs in results.items()
    }


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
