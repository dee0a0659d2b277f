import json
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from keras_bert import TINY_MODEL
from tests.processes import ROOT

pytestmark = pytest.mark.large


def _start(*arguments):
    return subprocess.Popen(
        [sys.executable, "tools/serve.py", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_program_serves_the_tiny_model_and_stops():
    with _start("--port=18000", "--name=tiny") as server:
        try:
            example = server.stdout.readline()
            assert "curl http://127.0.0.1:18000/v1/embeddings" in example
            assert '"model": "tiny"' in example
            assert "18000/docs" in server.stdout.readline()
            body = json.dumps({"model": "tiny", "input": ["a", "b"]}).encode()
            answer = _answer("http://127.0.0.1:18000/v1/embeddings", body)
            assert len(answer["data"]) == 2
            server.send_signal(signal.SIGTERM)
            assert server.wait(30) in (0, -signal.SIGTERM)
        finally:
            server.kill()


def test_the_server_ends_while_a_client_sends_nothing():
    with _start("--port=18005", "--name=tiny", "--shutdown_s=1") as server:
        try:
            server.stdout.readline()
            server.stdout.readline()
            body = json.dumps({"model": "tiny", "input": "a"}).encode()
            _answer("http://127.0.0.1:18005/v1/embeddings", body)
            with socket.create_connection(("127.0.0.1", 18005)) as client:
                client.sendall(
                    b"POST /v1/embeddings HTTP/1.1\r\nHost: a\r\n"
                    b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"
                )
                time.sleep(0.2)
                server.send_signal(signal.SIGTERM)
                assert server.wait(30) in (0, -signal.SIGTERM)
        finally:
            server.kill()


def _answer(url, body):
    """Send a request; the socket is opened shortly after the last line."""
    for _ in range(100):
        try:
            with urllib.request.urlopen(url, body) as response:
                return json.load(response)
        except urllib.error.URLError as error:
            assert isinstance(error.reason, ConnectionRefusedError)
            time.sleep(0.1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nowhere"], "nowhere"),
        (["nowhere", "--workers=2"], "nowhere"),
        ([str(TINY_MODEL), "--name=a,b"], "a different name"),
        (["--port=99999999"], "port"),
    ],
)
def test_a_wrong_call_is_one_line(arguments, words):
    with _start(*arguments) as server:
        _, errors = server.communicate(timeout=120)
    assert server.returncode == 1
    (line,) = errors.splitlines()
    assert line.startswith("Error: ") and words in line
