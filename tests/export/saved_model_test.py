import json
import os
import pathlib

import pytest
import tensorflow as tf

from keras_bert import features
from keras_bert import processor
from keras_bert.export import export_saved_model
from keras_bert.export.saved_model import saved_model
from keras_bert.tasks import FeatureExtractor
from keras_bert.tasks import FillMask

_IDS = [feature.name for feature in features.ENCODER_INPUTS]


@pytest.fixture(scope="module")
def exported(bert, tmp_path_factory):
    """Return a task and the directory of its SavedModel."""
    task = FillMask(bert)
    directory = tmp_path_factory.mktemp("served")
    export_saved_model(task, directory)
    return task, directory / "1"


def test_signatures_have_the_documented_names(exported):
    task, directory = exported
    signatures = tf.saved_model.load(str(directory)).signatures
    assert sorted(signatures) == ["ids", "serving_default", "tokens"]
    for name in ("serving_default", "tokens"):
        (_, inputs) = signatures[name].structured_input_signature
        assert inputs == {"text": tf.TensorSpec([None], tf.string, "text")}
    (_, inputs) = signatures["ids"].structured_input_signature
    assert inputs == {
        name: tf.TensorSpec([None, None], tf.int32, name) for name in _IDS
    }
    for name, signature in signatures.items():
        names = _IDS if name == "tokens" else task.output_names
        assert sorted(signature.structured_outputs) == sorted(names)


def test_an_empty_directory_is_used(bert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a/b/12").mkdir(parents=True)
    export_saved_model(FeatureExtractor(bert), "a/b/", version=12)
    assert "saved_model.pb" in os.listdir("a/b/12")
    assert "b" in pathlib.Path("a/b/model.config").read_text()


def test_too_large_constants_are_refused_before_any_graph(
    narrow_bert, tmp_path, monkeypatch
):
    monkeypatch.setattr(saved_model, "_MOST_BYTES", 1000)
    monkeypatch.setattr(saved_model, "ServedGraph", None)
    with pytest.raises(ValueError, match="less than 2 GB. Received: .* GB"):
        export_saved_model(FeatureExtractor(narrow_bert), tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "model, info, is_told",
    [
        ("narrow_bert", "flags\t\t: fpu avx512_bf16 avx512f\n", True),
        ("narrow_bert", "a : x\nflags : fpu amx_bf16 amx_tile\n", False),
        ("bert", "flags : fpu\n", False),
    ],
)
def test_bfloat16_without_amx_is_told(
    request, tmp_path, monkeypatch, caplog, model, info, is_told
):
    task = FeatureExtractor(request.getfixturevalue(model))
    (tmp_path / "cpuinfo").write_text(info)
    monkeypatch.setattr(processor, "_CPU_INFO", tmp_path / "cpuinfo")
    # The export fails here.
    monkeypatch.setattr(saved_model, "ServedModel", None)
    with pytest.raises(TypeError):
        export_saved_model(task, tmp_path / "served")
    assert ("processor without AMX" in caplog.text) == is_told


def test_the_manifest_tells_of_the_task_and_lists_the_files(exported):
    task, directory = exported
    manifest = json.loads((directory / "manifest.json").read_text())
    assert manifest["task"] == "FillMask"
    assert manifest["max_seq_length"] == 12
    assert manifest["do_lower_case"] is True
    assert manifest["command"] == []  # It may contain a path of this machine.
    files = [p for p in directory.rglob("*") if p.is_file()]
    names = {p.relative_to(directory).as_posix() for p in files}
    assert {*manifest["files"]} == names - {"manifest.json"}
