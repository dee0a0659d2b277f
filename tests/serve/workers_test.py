"""A killed worker of a server, and the metrics of all workers."""

import concurrent.futures
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from keras_bert import tasks
from tests import tiny
from tests.processes import ROOT

pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(
        not os.path.isdir("/proc/self/task"), reason="It needs /proc."
    ),
]

_ADDRESS = "http://127.0.0.1:18003"
_BODY = json.dumps({"model": "model", "input": "a cat"}).encode()
_NUM_REQUESTS = 600


def test_the_other_workers_answer_while_one_is_killed(tmp_path):
    tasks.TextEmbedder(tiny.make_bert()).export_onnx(tmp_path / "model")
    command = ["tools/serve.py", tmp_path / "model", "--workers=2"]
    with subprocess.Popen(
        [sys.executable, *command, "--port=18003"], cwd=ROOT
    ) as server:
        try:
            _wait_for(lambda: _request("/health"))
            _wait_for(lambda: len(_workers(server.pid)) == 2)
            with concurrent.futures.ThreadPoolExecutor(8) as clients:
                answers = [
                    clients.submit(_request, "/v1/embeddings", _BODY)
                    for _ in range(_NUM_REQUESTS)
                ]
                _wait_for(lambda: sum(x.done() for x in answers) > 100)
                killed = _workers(server.pid)[0]
                os.kill(killed, signal.SIGKILL)
            answered = [x.result() for x in answers if x.result()]
            # Requests that the killed worker had accepted are lost.
            assert len(answered) >= _NUM_REQUESTS - 8
            assert len({*answered}) == 1
            _wait_for(lambda: len({*_workers(server.pid)} - {killed}) == 2)
            found = re.search(
                r'requests_total\{route="/v1/embeddings",status="200"\} (\S+)',
                _request("/metrics").decode(),
            )
            assert len(answered) <= float(found[1]) <= _NUM_REQUESTS
        finally:
            server.terminate()
            server.wait(60)


def _request(route, body=None):
    """Return the answer, or None if there is no connection."""
    try:
        with urllib.request.urlopen(_ADDRESS + route, body, 60) as response:
            return response.read()
    except urllib.error.HTTPError:
        raise
    except (OSError, http.client.HTTPException):
        return None


def _workers(pid):
    """Return the ids of the processes that answer requests."""
    children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [
        int(child)
        for child in children.split()
        if b"spawn_main" in pathlib.Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def _wait_for(condition):
    """Wait at most a minute."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
