"""`keras_bert.serving.query`, against a server over a socket."""

import doctest
import re
import socket

import pytest

import keras_bert
from keras_bert import serving

_PAIRS = [
    ("who eats?", "The dög – eats."),
    ("", ""),
    ("what\0\n", 'a "cat" \\ \u2028 😀'),
    ("sees", b"the \xff dog\xe2\x82".decode("utf-8", "surrogateescape")),
]


@pytest.fixture
def ask(address):
    def ask(name, inputs, **kwargs):
        url = f"http://{address}/v1/models/{name}"
        return serving.query(url, inputs, **kwargs)

    return ask


def test_answers_are_those_of_the_model(ask):
    questions, contexts = map(list, zip(*_PAIRS))
    answers = ask("answers", {"question": questions, "context": contexts})
    assert sorted(answers) == ["answer", "end", "score", "start"]
    for index, context in enumerate(contexts):
        data = context.encode("utf-8", "surrogateescape")
        place = slice(answers["start"][index], answers["end"][index])
        answer = answers["answer"][index]
        assert data[place] == answer.encode("utf-8", "surrogateescape")
    assert any(answers["answer"])


def test_the_only_output_has_its_name_and_lists_are_asked(ask, server):
    (score,) = ask("scores/versions/2", {"text": ["the dog"]})["score"]
    ids = {
        "input_ids": [[2, 5, 7, 3]],  # [CLS] the dog [SEP]
        "input_mask": [[1, 1, 1, 1]],
        "segment_ids": [[0, 0, 0, 0]],
    }
    (same,) = ask("scores", ids, signature="ids")["score"]
    assert same == pytest.approx(score, abs=1e-4)
    assert server.requests[-1][0] == "/v1/models/scores/metadata"


@pytest.mark.parametrize(
    "name, inputs, message",
    [
        ("moods", {"text": ["a"]}, "returned HTTP 404: .*Servable not found"),
        ("scores", {"question": ["a"]}, "400: .*Missing named input: text"),
        ("scores", {"text": [1]}, "400: .*not of expected type"),
    ],
)
def test_refusals_are_errors(ask, waits, name, inputs, message):
    with pytest.raises(serving.ServerError, match=message):
        ask(name, inputs)
    assert not waits


@pytest.mark.parametrize(
    "fault, message",
    [
        ("slow", "does not answer: timed out"),
        ("page", "returned HTTP 404: .*Nothing"),
        ("no_json", "does not answer: Expecting value"),
        ("truncated", "does not answer: IncompleteRead"),
        ("dropped", "does not answer: Remote end closed"),
    ],
)
def test_servers_at_fault_are_errors(ask, server, fault, message):
    server.faults[:] = [fault]
    with pytest.raises(serving.ServerError, match=message) as error:
        ask("scores", {"text": ["a"]}, timeout_s=0.3)
    assert re.match(r"http://127.0.0.1:\d+/v1/models/scores", str(error.value))
    assert "\n" not in str(error.value) and str(error.value).isprintable()


def test_a_server_that_is_not_ready_is_asked_again(ask, server, waits):
    server.faults[:] = ["unavailable", "unavailable"]
    assert ask("scores", {"text": ["a"]})["score"]
    assert waits == [0.25, 0.5]
    server.faults[:] = ["unavailable"] * 5
    with pytest.raises(serving.ServerError, match="503: .*queue is full"):
        ask("scores", {"text": ["a"]})


def test_a_server_that_is_not_there_is_named(waits):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(serving.ServerError, match=f"{port}.*refused.*8501"):
        serving.query(f"http://127.0.0.1:{port}/v1/models/a", {"text": ["a"]})
    assert len(waits) == 4


def test_example_runs(address, run_example):
    (example,) = doctest.DocTestFinder(recurse=False).find(
        serving.query, "query", globs={"keras_bert": keras_bert}
    )
    for line in example.examples:
        line.source = line.source.replace("localhost:8501", address)
    run_example(example, any_answer=True)
