"""The files of a server, parsed with the server's protocol buffers."""

import os
import re

import pytest
from google.protobuf import text_format
from tensorflow_serving.config import model_server_config_pb2

from keras_bert.export.saved_model.serving_files import BATCHING_PARAMETERS
from keras_bert.export.saved_model.serving_files import MODEL_CONFIG
from keras_bert.export.saved_model.serving_files import write_serving_files

# BatchingParameters of servables/tensorflow/session_bundle_config.proto,
# which tensorflow-serving-api does not contain.
_BATCHING_FIELDS = {
    "max_batch_size",
    "batch_timeout_micros",
    "max_enqueued_batches",
    "num_batch_threads",
}


@pytest.fixture
def place(tmp_path):
    """Return the folder of a model without versions."""
    place = tmp_path / 'so "called"'
    place.mkdir()
    return place


def _add_version(place, version):
    (place / version).mkdir()
    (place / version / "saved_model.pb").touch()


def _config(place):
    (config,) = text_format.Parse(
        (place / MODEL_CONFIG).read_text(),
        model_server_config_pb2.ModelServerConfig(),
    ).model_config_list.config
    return config


def test_one_version_is_served_as_the_newest(place):
    _add_version(place, "1")
    write_serving_files(place)
    config = _config(place)
    assert config.name == 'so "called"'
    assert config.base_path == '/models/so "called"'
    assert config.model_platform == "tensorflow"
    assert not config.HasField("model_version_policy")
    assert not config.version_labels


def test_the_last_two_of_several_versions_have_labels(place):
    _add_version(place, "1")
    write_serving_files(place)
    for version in ("9", "10", "backup"):
        _add_version(place, version)
    (place / "11").mkdir()  # Not written yet.
    write_serving_files(place)  # It replaces its own file.
    config = _config(place)
    assert config.model_version_policy.specific.versions == [9, 10]
    assert dict(config.version_labels) == {"stable": 9, "canary": 10}


def test_labels_may_be_given(place):
    for version in ("1", "2", "3"):
        _add_version(place, version)
    write_serving_files(place, {"old": 1, "new": 3, "same": 3})
    config = _config(place)
    assert config.model_version_policy.specific.versions == [1, 3]
    assert dict(config.version_labels) == {"old": 1, "new": 3, "same": 3}
    with pytest.raises(ValueError, match=r"\[1, 2, 3\]. Received .*\[7\]"):
        write_serving_files(place, {"new": 7})


def test_batching_parameters_have_the_fields_of_the_server(place):
    _add_version(place, "1")
    write_serving_files(place)
    text = (place / BATCHING_PARAMETERS).read_text()
    lines = [x for x in text.splitlines() if x and not x.startswith("#")]
    found = [re.fullmatch(r"(\w+) \{ value: \d+ \}", line)[1] for line in lines]
    assert len({*found}) == len(found)
    assert {*found} <= _BATCHING_FIELDS


@pytest.mark.parametrize("name", [MODEL_CONFIG, BATCHING_PARAMETERS])
@pytest.mark.parametrize("is_first_ours", [True, False])
def test_what_a_user_has_written_stays(place, caplog, name, is_first_ours):
    _add_version(place, "1")
    if is_first_ours:
        write_serving_files(place)
    (place / name).write_text("# mine\n")
    _add_version(place, "2")
    write_serving_files(place)
    assert (place / name).read_text() == "# mine\n"
    assert f"{place / name} was changed by the user and is kept." in caplog.text
    assert {MODEL_CONFIG, BATCHING_PARAMETERS} <= {*os.listdir(place)}


def test_a_folder_without_versions_is_an_error(place):
    with pytest.raises(ValueError, match="saved_model.pb, but contains none"):
        write_serving_files(place)
