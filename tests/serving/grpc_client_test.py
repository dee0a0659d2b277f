"""gRPC, against a server over a socket."""

import socket
import subprocess
import sys

import numpy as np
import pytest

from keras_bert.serving import GrpcClient
from keras_bert.serving import RestClient
from keras_bert.serving import ServerError
from keras_bert.serving import grpc_client


@pytest.fixture
def make_client(grpc_port):
    def make(name, **kwargs):
        return GrpcClient(name, "127.0.0.1", grpc_port, **kwargs)

    return make


@pytest.mark.parametrize(
    "name, inputs",
    [
        ("scores", {"text": ["a dog", "", "\udcff\0 😀"]}),
        ("scores", {"text": []}),
        (
            "answers",
            {
                "question": ["who", "the \udcff"],
                "context": ["The dög – eats.", "a \udce2\udc82 cat"],
            },
        ),
        (
            "choices",
            {"text": ["the", "a"], "choices": [["dog", "ö"], ["cat", ""]]},
        ),
    ],
)
def test_answers_are_those_of_rest(make_client, rest_port, name, inputs):
    answers = make_client(name).predict(inputs)
    expected = RestClient(name, "127.0.0.1", rest_port).predict(inputs)
    assert sorted(answers) == sorted(expected)
    for output, values in answers.items():
        if output == "answer":
            assert values == expected[output]
        else:
            np.testing.assert_allclose(values, expected[output], atol=1e-4)


def test_signatures_are_those_of_rest(make_client, rest_port):
    for name in ("serving_default", "ids"):
        ours = make_client("choices").signature(name)
        assert ours == RestClient("choices", "127.0.0.1", rest_port).signature(
            name
        )
    assert ours.inputs["input_ids"].dtype == "int32"
    assert ours.inputs["input_ids"].rank == 3


@pytest.mark.parametrize(
    "where, field, value",
    [
        ({}, "version_label", ""),
        ({"version": 2}, "version", 2),
        ({"version_label": "canary"}, "version_label", "canary"),
    ],
)
def test_versions_and_labels_are_asked(
    make_client, model_server, where, field, value
):
    make_client("scores", **where).predict({"text": ["a"]})
    for request in model_server.requests:
        found = getattr(request.model_spec, field)
        assert getattr(found, "value", found) == value
        assert request.model_spec.HasField("version") == ("version" in where)


@pytest.mark.parametrize(
    "name, where, message",
    [
        ("moods", {}, "model 'moods': Servable not found .*Latest.moods"),
        ("scores", {"version": 7}, "Servable not found for request: 7"),
        ("scores", {"version_label": "blue"}, "version label: blue"),
    ],
)
def test_what_the_server_refuses_is_told_once(
    make_client, model_server, waits, name, where, message
):
    with pytest.raises(ServerError, match=message):
        make_client(name, **where).predict({"text": ["a"]})
    assert (len(model_server.requests), waits) == (1, [])


def test_what_the_model_refuses_is_told_in_a_line(make_client):
    client = make_client("scores")
    ids = {name: [[0] * 99] for name in client.signature("ids").inputs}
    with pytest.raises(ServerError, match="refuses to answer") as raised:
        client.predict(ids, "ids")
    assert f"{raised.value}".isprintable()


def test_numbers_that_do_not_fit_are_told(make_client):
    client = make_client("scores")
    ids = {name: [[1 << 40]] for name in client.signature("ids").inputs}
    with pytest.raises(ValueError, match="must be numbers of the type int32"):
        client.predict(ids, "ids")


def test_an_unavailable_server_is_asked_again(make_client, model_server, waits):
    model_server.faults += ["unavailable", "unavailable"]
    assert make_client("scores").predict({"text": ["a"]})["score"]
    assert waits == [0.25, 0.5]


def test_slow_answers_are_not_waited_for(make_client, model_server):
    model_server.faults.append("slow")
    with pytest.raises(ServerError, match="within 0.3 s"):
        make_client("scores", timeout_s=0.3).signature()


def test_huge_answers_are_refused(make_client, monkeypatch):
    limit = ("grpc.max_receive_message_length", 100)
    monkeypatch.setattr(grpc_client, "_OPTIONS", [limit])
    with pytest.raises(ServerError, match="(?i)larger than max"):
        make_client("scores").signature()


def test_no_server_is_told(waits):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ServerError, match=f"127.0.0.1:{port}: .*is mostly"):
        GrpcClient("scores", "127.0.0.1", port).signature()
    assert len(waits) == 4


def test_the_other_protocol_is_told_at_once(rest_port, grpc_port, waits):
    for client, port, message in (
        (GrpcClient, rest_port, "speaks REST.*RestClient .protocol='rest'."),
        (RestClient, grpc_port, "speaks gRPC.*GrpcClient .protocol='grpc'."),
    ):
        with pytest.raises(ServerError, match=f"127.0.0.1:{port} {message}"):
            client("scores", "127.0.0.1", port).signature()
    assert waits == []


@pytest.mark.exhaustive
def test_the_missing_extra_is_named():
    program = (
        "import sys\n"
        "sys.modules['tensorflow_serving'] = None\n"
        "from keras_bert import serving\n"
        "try: serving.GrpcClient\n"
        "except ModuleNotFoundError as error: print(error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True
    )
    assert "pip install 'keras-bert-tf[serving]'" in result.stdout, (
        result.stderr
    )
