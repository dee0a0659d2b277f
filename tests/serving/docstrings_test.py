"""The examples in the docstrings of clients, asked of a server."""

import doctest

import pytest

import keras_bert


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "name, port", [("RestClient", "rest_port"), ("GrpcClient", "grpc_port")]
)
def test_example_runs(name, port, request, monkeypatch, run_example):
    client = getattr(keras_bert.serving, name)
    number = request.getfixturevalue(port)
    monkeypatch.setattr(client, "default_port", number)
    (example,) = doctest.DocTestFinder(recurse=False).find(
        client, name, globs={"keras_bert": keras_bert}
    )
    run_example(example, any_answer=True)
