"""A stand-in for TensorFlow Serving with real SavedModels."""

import types

import pytest

from keras_bert import serving
from keras_bert.export import export_saved_model
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextRegressor
from tests.serving import model_server


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Return the seconds that clients waited before a retry."""
    waits = []
    clock = types.SimpleNamespace(sleep=waits.append)
    # Patch only the name in the module: the servers of these tests sleep too.
    monkeypatch.setattr(serving, "time", clock)
    return waits


@pytest.fixture(scope="session")
def saved_models(make_bert, tmp_path_factory):
    """Return the directories of SavedModels by model name."""
    tasks = {
        "answers": QuestionAnswerer(make_bert(), max_query_length=3),
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
def _models(saved_models):
    return {
        name: model_server.ServedModel(directory)
        for name, directory in saved_models.items()
    }


@pytest.fixture(scope="session")
def _server(_models):
    with model_server.rest_server(_models) as server:
        yield server


@pytest.fixture
def grpc_port(_models):
    """Return the port of a gRPC server with the models of `saved_models`."""
    with model_server.grpc_server(_models) as port:
        yield port


@pytest.fixture
def server(_server):
    """Return a REST server with the models of `saved_models`."""
    yield _server
    _server.faults.clear()
    _server.requests.clear()


@pytest.fixture
def address(server):
    return f"127.0.0.1:{server.server_address[1]}"
