"""Run the example of Ray Serve in docs/serve.md, and kill a replica under load.

    python tests/serve/ray_cluster.py DIRECTORY

Run by ray_test.py in an environment with `ray[serve]`. Writes what was seen to
DIRECTORY/found.json.
"""

import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import signal
import sys
import time
import urllib.request

import ray
from ray import serve

_PORT = 18004
_TEXTS = ["the dog", "a cat sees", "meat"]
_REPLICAS, _MOST_REPLICAS = 2, 3
_NUM_REQUESTS = 3000


def main(directory):
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    serve.start(http_options={"port": _PORT})
    page = pathlib.Path("docs/serve.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(from ray .*?)```", page, re.DOTALL)
    for given, ours in (
        ("/models/minilm-onnx", str(directory / "embedder")),
        ('"max_replicas": 8', '"max_replicas": 3, "upscale_delay_s": 1'),
        ('"target_ongoing_requests": 16', '"target_ongoing_requests": 2'),
        (", blocking=True", ""),
    ):
        assert given in code
        code = code.replace(given, ours)
    exec(code, {})
    _wait_for(lambda: len(_replicas()) == _REPLICAS)
    with concurrent.futures.ThreadPoolExecutor(16) as clients:
        answers = [
            clients.submit(_embeddings_after_retries)
            for _ in range(_NUM_REQUESTS)
        ]
        _wait_for(lambda: sum(x.done() for x in answers) > 100)
        killed = _replicas()[0]
        os.kill(killed, signal.SIGKILL)
        _wait_for(lambda: len({*_replicas()} - {killed}) == _MOST_REPLICAS)
        is_replaced_under_load = not all(x.done() for x in answers)
    embeddings = [x.result() for x in answers]
    found = {
        "num_answers": len(embeddings),
        "num_different": sum(x != embeddings[0] for x in embeddings),
        "embeddings": embeddings[0],
        "is_replaced_under_load": is_replaced_under_load,
    }
    (directory / "found.json").write_text(json.dumps(found))
    serve.shutdown()


def _embeddings_after_retries():
    """Send a request again if its replica was killed."""
    for _ in range(20):
        try:
            return _embeddings()
        except (OSError, http.client.HTTPException):
            time.sleep(0.2)
    raise ConnectionError("Ray Serve does not answer.")


def _embeddings():
    body = json.dumps({"model": "embedder", "input": _TEXTS}).encode()
    request = urllib.request.Request(
        f"http://127.0.0.1:{_PORT}/v1/embeddings", body
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        answer = json.load(response)
    return [row["embedding"] for row in answer["data"]]


def _replicas():
    """Return the ids of the processes of the replicas."""
    return [
        int(path.parent.name)
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline")
        if _command(path).startswith(b"ray::ServeReplica")
    ]


def _command(path):
    try:
        return path.read_bytes()
    except OSError:  # The process ended.
        return b""


def _wait_for(condition):
    """Wait at most two minutes."""
    deadline = time.monotonic() + 120
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.1)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
