"""A stand-in for TensorFlow Serving with real SavedModels."""

import json
import os
import pathlib
import subprocess
import sys
import types

import pytest

from keras_bert import serving
from keras_bert.export import export_saved_model
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextRegressor

_REPOSITORY = pathlib.Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Return the seconds that clients waited before a retry."""
    waits = []
    clock = types.SimpleNamespace(sleep=waits.append)
    # Patch only the name in the module: the servers of these tests sleep too.
    monkeypatch.setattr(serving, "time", clock)
    return waits


@pytest.fixture(scope="session")
def stand_in():
    """Return the module of the server."""
    sys.path.insert(0, str(pathlib.Path(__file__).parent))
    import model_server

    yield model_server
    sys.path.pop(0)


@pytest.fixture(scope="session")
def saved_models(make_bert, tmp_path_factory):
    """Return the directories of SavedModels by model name."""
    tasks = {
        "answers": QuestionAnswerer(make_bert(), max_query_length=3),
        "choices": MultipleChoice(make_bert()),
        "scores": TextRegressor(make_bert()),
    }
    place = tmp_path_factory.mktemp("served")
    for name, task in tasks.items():
        export_saved_model(task, place / name / "1")
    return {
        name: next((place / name).rglob("saved_model.pb")).parent
        for name in tasks
    }


@pytest.fixture(scope="session")
def _model_server(stand_in, saved_models):
    return stand_in.ModelServer(saved_models)


@pytest.fixture
def model_server(_model_server):
    yield _model_server
    _model_server.faults.clear()
    _model_server.requests.clear()


@pytest.fixture(scope="session")
def _rest_port(stand_in, _model_server):
    with stand_in.rest_server(_model_server) as port:
        yield port


@pytest.fixture
def rest_port(_rest_port, model_server):
    """Return the port of a REST server with the models of `saved_models`."""
    return _rest_port


@pytest.fixture(scope="session")
def _grpc_port(stand_in, _model_server):
    with stand_in.grpc_server(_model_server) as port:
        yield port


@pytest.fixture
def grpc_port(_grpc_port, model_server):
    """Return the port of a gRPC server with the models of `saved_models`."""
    return _grpc_port


@pytest.fixture
def query():
    """Return a function that runs query_server and returns code and output."""

    def query(*arguments, before="pass", **kwargs):
        program = (
            f"import runpy, sys; sys.argv = sys.argv[1:]; {before}; "
            "runpy.run_path(sys.argv[0], run_name='__main__')"
        )
        result = subprocess.run(
            [
                sys.executable,
                "-c",
                program,
                "tools/query_server.py",
                *arguments,
            ],
            cwd=_REPOSITORY,
            env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
            capture_output=True,
            **kwargs,
        )
        answers = [json.loads(x) for x in result.stdout.splitlines()]
        return result.returncode, answers, result.stderr.decode()

    return query
