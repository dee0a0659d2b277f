import pathlib

import pytest

from keras_bert.files import manifest
from keras_bert.files.manifest import manifest_path_for
from keras_bert.files.manifest import sha256
from keras_bert.files.manifest import write_manifest
from keras_bert.pretraining.job import record_facts
from keras_bert.pretraining.job.record_facts import read_record_facts
from keras_bert.pretraining.job.record_facts import verified_sha256

_TRAIN, _EVAL = "static-train.tfrecord", "static-eval.tfrecord"


def facts_of(folder, *names):
    return read_record_facts([folder.file(name) for name in names])


def test_a_value_that_differs_is_an_error(folder):
    folder.write_manifest(_EVAL, max_predictions_per_seq=2)
    facts = facts_of(folder, _TRAIN, _EVAL)
    with pytest.raises(
        ValueError,
        match=f"`max_predictions_per_seq` .*{_TRAIN}.* says .*{_EVAL}.* says 2",
    ):
        facts.resolve("max_predictions_per_seq", None, None)


def test_each_file_is_hashed_once(folder, monkeypatch):
    hashed = []

    def recorded(path):
        hashed.append(pathlib.Path(path).name)
        return sha256(path)

    for module in (manifest, record_facts):
        monkeypatch.setattr(module, "sha256", recorded)
    (folder.path / "other.tfrecord").write_bytes(b"made elsewhere")
    facts_of(folder, _TRAIN, "other.tfrecord")
    assert sorted(hashed) == ["other.tfrecord", _TRAIN]


def test_predictions_of_dynamic_records_are_up_to_the_training(folder):
    names = "dynamic-train.tfrecord", "dynamic-eval.tfrecord"
    facts = facts_of(folder, *names)
    assert facts.resolve("max_predictions_per_seq", None, 20) == 3
    assert facts.resolve("max_predictions_per_seq", 2, 20) == 2
    folder.write_manifest(names[1], max_predictions_per_seq=5)
    facts = facts_of(folder, *names)
    assert facts.resolve("max_predictions_per_seq", None, 20) == 20


def test_a_record_file_that_was_altered_is_an_error(folder):
    path = folder.path / _TRAIN
    path.write_bytes(path.read_bytes()[::-1])
    with pytest.raises(ValueError, match=f"{_TRAIN} has changed"):
        facts_of(folder, _TRAIN)
    with pytest.raises(ValueError, match="different size or hash"):
        verified_sha256(path)


def test_a_manifest_without_settings_says_nothing(folder):
    path = folder.path / _TRAIN
    write_manifest(manifest_path_for(path), {_TRAIN: path}, {})
    facts = facts_of(folder, _TRAIN)
    assert facts.resolve("masking", None, "static") == "static"
    assert facts.manifest_values["do_lower_case"] == {}
