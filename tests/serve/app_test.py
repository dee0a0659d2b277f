import asyncio
import base64
import concurrent.futures
import contextlib
import json
import threading
import time

import numpy as np
import pytest
import uvicorn
from starlette.testclient import TestClient

from keras_bert import serving
from keras_bert import tasks
from keras_bert.serve import make_app
from tests import tiny
from tests.processes import run_python

_TEXTS = ["the dog", "a cat sees", "meat"]
_PROMPTS = {"query": "cat ", "document": "fish "}


@pytest.fixture(scope="module")
def models():
    """Return a task of each kind by its name in the server."""
    bert = tiny.make_bert()
    made = {
        "embedder": tasks.TextEmbedder(bert, prompts=_PROMPTS, normalize=True),
        "ranker": tasks.PairRanker(bert),
        "classifier": tasks.TextClassifier(bert, labels=["x", "y", "z"]),
        "sparse": tasks.SparseEmbedder(bert),
    }
    for name in ("ranker", "classifier"):
        tiny.widened(made[name].model)
    return made


@pytest.fixture(scope="module")
def directories(models, tmp_path_factory):
    """Return the directories of the tasks and of two exports."""
    folder = tmp_path_factory.mktemp("models")
    for name, task in models.items():
        task.save(folder / name)
        task.export_saved_model(folder / "saved" / name)
    models["embedder"].export_onnx(folder / "onnx")
    saved = folder / "saved/embedder"
    saved.rename(folder / "saved_model")
    return [folder / name for name in (*models, "onnx", "saved_model")]


@pytest.fixture(scope="module")
def client(directories):
    return TestClient(make_app(directories, max_texts=9, max_characters=5000))


def _post(client, route, status=200, **body):
    response = client.post(route, json=body)
    assert response.status_code == status, response.text
    return response.json()


@pytest.mark.parametrize("model", ["embedder", "onnx", "saved_model"])
@pytest.mark.parametrize("role", ["", "query", "document"])
def test_openai_embeddings_are_those_of_the_task(client, models, model, role):
    task = models["embedder"]
    prompt = _PROMPTS.get(role, "")
    expected = task.embed(_TEXTS, prompt=role)
    body = {"model": model, "input": _TEXTS, "input_type": role}
    answer = _post(client, "/v1/embeddings", **body)
    assert [row["index"] for row in answer["data"]] == [0, 1, 2]
    found = [row["embedding"] for row in answer["data"]]
    np.testing.assert_allclose(found, expected, atol=1e-6)
    # A [CLS], a [SEP] and a piece for each word.
    count = sum(2 + len((prompt + text).split()) for text in _TEXTS)
    assert answer["usage"] == {"prompt_tokens": count, "total_tokens": count}
    answer = _post(
        client, "/v1/embeddings", encoding_format="base64", dimensions=5, **body
    )
    for row, vector in zip(answer["data"], expected, strict=True):
        found = np.frombuffer(base64.b64decode(row["embedding"]), "<f4")
        shorter = vector[:5] / np.linalg.norm(vector[:5])
        np.testing.assert_allclose(found, shorter, atol=1e-6)


@pytest.mark.parametrize("model", ["embedder", "onnx"])
def test_openai_embeddings_take_token_ids(client, models, model):
    ids = models["embedder"].preprocess.tokenizer(["the dog"])
    ids = ids[0].numpy().tolist()
    (expected,) = models["embedder"].embed(["the dog"])
    for given in (ids, [ids]):
        answer = _post(client, "/v1/embeddings", model=model, input=given)
        found = answer["data"][0]["embedding"]
        np.testing.assert_allclose(found, expected, atol=1e-6)
    for given, words in (
        ([99999], "ids of the vocabulary of this model"),
        ([2, 8, 3], "without special tokens"),
        ([[5], [17]], "must be those of a text"),
    ):
        error = _post(client, "/v1/embeddings", 400, model=model, input=given)
        assert words in error["error"]["message"]
    body = {"model": model, "input": [[5]] * 10}
    assert _post(client, "/v1/embeddings", 413, **body)
    assert _post(client, "/v1/embeddings", 413, model=model, input=[5] * 9000)


def test_rerankers_sort_by_the_scores_of_the_task(client, models):
    scores = models["ranker"].predict([("a bird", text) for text in _TEXTS])
    order = np.argsort(scores)[::-1].tolist()
    best = [scores[index] for index in order]
    for version in "12":
        answer = _post(
            client,
            f"/v{version}/rerank",
            query="a bird",
            documents=[_TEXTS[0], {"text": _TEXTS[1]}, _TEXTS[2]],
            return_documents=True,
        )
        assert answer["meta"]["api_version"]["version"] == version
        results = answer["results"]
        assert [x["index"] for x in results] == order
        found = [x["relevance_score"] for x in results]
        np.testing.assert_allclose(found, best, atol=1e-6)
        assert results[0]["document"] == {"text": _TEXTS[order[0]]}
    answer = _post(client, "/v2/rerank", query="a", documents=["b"], top_n=1)
    assert len(answer["results"]) == 1
    results = _post(client, "/rerank", query="a bird", texts=_TEXTS)
    assert [x["index"] for x in results] == order
    np.testing.assert_allclose([x["score"] for x in results], best, atol=1e-6)


def test_text_embeddings_inference_routes_give_the_outputs_of_the_tasks(
    client, models
):
    vectors = _post(client, "/embed", inputs=_TEXTS, prompt_name="query")
    expected = models["embedder"].embed_query(_TEXTS)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    (weights,) = _post(client, "/embed_sparse", inputs="the dog")
    dense = np.zeros(models["sparse"].dim)
    dense[[x["index"] for x in weights]] = [x["value"] for x in weights]
    expected = models["sparse"].embed(["the dog"]).toarray()[0]
    np.testing.assert_allclose(dense, expected, atol=1e-6)
    answers = models["classifier"].predict(_TEXTS)
    found = _post(client, "/predict", inputs=[[text] for text in _TEXTS])
    for row, answer in zip(found, answers, strict=True):
        assert len(row) == 3
        assert row[0]["label"] == answer["label"]
        assert row[0]["score"] == pytest.approx(answer["probability"], abs=1e-6)
    alone = _post(client, "/predict", inputs=_TEXTS[0])
    assert [x["label"] for x in alone] == [x["label"] for x in found[0]]


def test_saved_models_give_the_outputs_of_the_tasks(models, directories):
    folder = directories[0].parent / "saved"
    client = TestClient(make_app(sorted(folder.iterdir())))
    pairs = [("a bird", text) for text in _TEXTS]
    scores = models["ranker"].predict(pairs)
    for result in _post(client, "/rerank", query="a bird", texts=_TEXTS):
        expected = scores[result["index"]]
        assert result["score"] == pytest.approx(expected, abs=1e-6)
    answers = _post(client, "/predict", inputs=[[text] for text in _TEXTS])
    expected = models["classifier"].predict(_TEXTS)
    assert [x[0]["label"] for x in answers] == [x["label"] for x in expected]
    (weights,) = _post(client, "/embed_sparse", inputs="the dog")
    dense = np.zeros(models["sparse"].dim)
    dense[[x["index"] for x in weights]] = [x["value"] for x in weights]
    expected = models["sparse"].embed(["the dog"]).toarray()[0]
    np.testing.assert_allclose(dense, expected, atol=1e-6)


@pytest.mark.parametrize("export", ["export_onnx", "export_saved_model"])
def test_an_export_refuses_prompts_that_it_cannot_use(export, tmp_path):
    embedder = tasks.TextEmbedder(
        tiny.make_bert(), prompts=_PROMPTS, include_prompt=False
    )
    getattr(embedder, export)(tmp_path / "model")
    client = TestClient(make_app([tmp_path / "model"]))
    body = {"model": "model", "input": "a"}
    _post(client, "/v1/embeddings", **body)
    error = _post(client, "/v1/embeddings", 400, input_type="query", **body)
    assert "Serve the task itself" in error["error"]["message"]


@pytest.mark.parametrize("is_pair", [False, True])
def test_texts_and_pairs_are_not_mixed(models, is_pair, tmp_path):
    rows = [(x, x) for x in _TEXTS] if is_pair else _TEXTS
    classifier = tasks.TextClassifier(tiny.make_bert(), labels=["x", "y"])
    classifier.fit(rows, ["x", "y", "x"], epochs=1, verbose=0)
    classifier.save(tmp_path / "task")
    classifier.export_onnx(tmp_path / "onnx")
    classifier.export_saved_model(tmp_path / "saved")
    (expected,) = classifier.predict(rows[:1])
    for name in ("task", "onnx", "saved"):
        client = TestClient(make_app([tmp_path / name]))
        given = [["the dog", "the dog"]] if is_pair else [["the dog"]]
        ((found, _),) = _post(client, "/predict", inputs=given)
        assert found["label"] == expected["label"]
        assert found["score"] == pytest.approx(expected["probability"], 1e-5)
        wrong = "ab" if is_pair else [["the", "dog"]]
        error = _post(client, "/predict", 400, inputs=wrong)
        names = "pairs of texts" if is_pair else "texts"
        assert error["error"] == f"`inputs` must have {names}."


def test_texts_and_pairs_of_several_requests_are_computed(directories):
    app = make_app(directories[2:3], max_wait_ms=50)
    # Inside the block, all requests have the same event loop.
    with (
        TestClient(app) as client,
        concurrent.futures.ThreadPoolExecutor(8) as clients,
    ):

        def score(number):
            text = ["the dog", "a cat"][: 1 + number % 2]
            return _post(client, "/predict", inputs=[text])[0][0]["score"]

        together = [*clients.map(score, range(8))]
        alone = [score(number) for number in range(8)]
    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_a_classifier_returns_all_labels_of_a_text(tmp_path):
    classifier = tasks.TextClassifier(
        tiny.make_bert(), labels=["x", "y", "z"], multi_label=True
    )
    tiny.widened(classifier.model)
    classifier.save(tmp_path / "model")
    client = TestClient(make_app([tmp_path / "model"]))
    route = "/v1/models/model:predict"
    found = _post(client, route, inputs={"text": _TEXTS})["outputs"]
    answers = classifier.predict(_TEXTS)
    assert [[x for x in row if x] for row in found["labels"]] == [
        [x["label"] for x in row] for row in answers
    ]
    assert {len(row) for row in found["labels"]} == {3}


def test_the_client_of_tensorflow_serving_needs_no_change(directories, models):
    app = make_app(directories)
    with _running(app) as address:
        url = f"{address}/v1/models"
        found = serving.query(f"{url}/embedder", {"text": _TEXTS})
        expected = models["embedder"].embed(_TEXTS)
        np.testing.assert_allclose(found["embedding"], expected, atol=1e-6)
        found = serving.query(f"{url}/classifier", {"text": _TEXTS})
        answers = models["classifier"].predict(_TEXTS)
        assert found["label"] == [answer["label"] for answer in answers]
        pairs = {"text": ["a bird"] * 3, "text_pair": _TEXTS}
        found = serving.query(f"{url}/ranker", pairs)
        expected = models["ranker"].predict([("a bird", x) for x in _TEXTS])
        np.testing.assert_allclose(found["score"], expected, atol=1e-6)
        with pytest.raises(serving.ServerError, match="must be text"):
            serving.query(f"{url}/embedder", {"words": ["a"]})


@contextlib.contextmanager
def _running(app):
    """Run an application in a thread, and yield its address."""
    config = uvicorn.Config(app, port=0, log_level="error")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()


_VALID = {"model": "embedder", "input": "a"}
_ERRORS = {
    "unknown model": (404, {**_VALID, "model": "x"}, "'x' does not exist"),
    "wrong task": (
        404,
        {**_VALID, "model": "ranker"},
        "embedder, onnx, saved_model",
    ),
    "no input": (400, {"model": "embedder"}, "`input`: Field required"),
    "number": (400, {**_VALID, "input": 1.5}, "`input"),
    "format": (400, {**_VALID, "encoding_format": "x"}, "`encoding_format`"),
    "dimensions": (400, {**_VALID, "dimensions": 0}, "`dimensions`"),
    "too many": (400, {**_VALID, "dimensions": 99}, "at most 16"),
    "texts": (413, {**_VALID, "input": ["a"] * 10}, "at most 9 texts"),
    "characters": (413, {**_VALID, "input": "a" * 5001}, "at most 5000"),
    "surrogate": (400, {**_VALID, "input": "\ud800"}, "lone surrogates"),
}


@pytest.mark.parametrize("case", _ERRORS)
def test_a_bad_request_names_the_field(client, case):
    status, body, words = _ERRORS[case]
    content = json.dumps(body)
    response = client.post("/v1/embeddings", content=content)
    assert response.status_code == status
    assert words in response.json()["error"]["message"]


@pytest.mark.parametrize(
    ("content", "status"),
    [(b"{", 400), (b"\xff\xfe", 400), (b"[]", 400), (b"x" * 100_000, 413)],
)
@pytest.mark.parametrize(
    "route",
    ["/v1/embeddings", "/v2/rerank", "/embed", "/v1/models/ranker:predict"],
)
def test_a_bad_body_is_answered(client, route, content, status):
    response = client.post(route, content=content)
    assert response.status_code == status
    assert response.json()


def test_a_key_of_half_a_character_is_answered(client):
    content = rb'{"inputs": {"\ud800": ["a"]}}'
    response = client.post("/v1/models/embedder:predict", content=content)
    assert response.status_code == 400
    assert r"Received: \ud800" in response.json()["error"]


def test_requests_of_clients_that_left_are_not_computed(directories):
    app = make_app(directories[:1], max_batch_tokens=4)
    sent, answered, computed = [], [], []
    model = app.state.server.models["embedder"]

    def compute(texts, role, compute=model.compute):
        computed.extend(texts)
        return compute(texts, role)

    model.compute = compute

    async def receive():
        if not sent:
            sent.append(1)
            texts = ["the dog"] * 300
            body = json.dumps({"model": "embedder", "input": texts})
            return {"type": "http.request", "body": body.encode()}
        while not app.state.server._batchers:
            await asyncio.sleep(0.01)
        return {"type": "http.disconnect"}

    async def send(message):
        answered.append(message.get("status"))

    async def run():
        route = {"path": "/v1/embeddings", "raw_path": b"/v1/embeddings"}
        scope = {"type": "http", "method": "POST", "headers": [], **route}
        await app({**scope, "query_string": b"", "app": app}, receive, send)
        (batcher,) = app.state.server._batchers.values()
        await asyncio.wait_for(batcher._running, 60)

    asyncio.run(run())
    assert len(computed) < 300
    assert answered[0] == 499


def test_the_key_is_required_but_for_health(directories):
    client = TestClient(make_app(directories[:1], ["m"], api_key="secret"))
    assert client.get("/health").status_code == 200
    body = {"model": "m", "input": "a"}
    for headers, status in (
        ({}, 401),
        ({"Authorization": "Bearer secre"}, 401),
        ({"Authorization": "Bearer sécret".encode()}, 401),
        ({"Authorization": "Bearer secret"}, 200),
        ({"Authorization": "bearer secret"}, 200),
        ({"x-api-key": "secret"}, 200),
        ({"x-api-key": "secret", "Authorization": "Basic x"}, 200),
    ):
        response = client.post("/v1/embeddings", json=body, headers=headers)
        assert response.status_code == status


def test_models_and_metrics_are_listed(client):
    names = [
        "embedder",
        "ranker",
        "classifier",
        "sparse",
        "onnx",
        "saved_model",
    ]
    listed = client.get("/v1/models").json()["data"]
    assert [model["id"] for model in listed] == names
    assert client.get("/v1/models/onnx").json()["id"] == "onnx"
    metrics = client.get("/metrics").text
    assert 'keras_bert_requests_total{route="/v1/models"' in metrics
    assert client.get("/../setup.cfg").status_code == 404


def test_names_must_differ(directories):
    with pytest.raises(ValueError, match="a different name for each"):
        make_app(directories[:2], ["a", "a"])


def test_an_onnx_export_is_served_without_tensorflow(directories):
    program = (
        "import sys\n"
        "sys.modules['tensorflow'] = sys.modules['keras'] = None\n"
        "from starlette.testclient import TestClient\n"
        "from keras_bert.serve import make_app\n"
        "client = TestClient(make_app([sys.argv[1]]))\n"
        "body = {'model': 'onnx', 'input': 'a cat'}\n"
        "answer = client.post('/v1/embeddings', json=body)\n"
        "assert answer.status_code == 200, answer.text\n"
    )
    run_python("-c", program, str(directories[0].parent / "onnx"))
