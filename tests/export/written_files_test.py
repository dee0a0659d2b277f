"""Exports and manifests: atomic, protected, independent of the machine."""

import errno
import json
import os
import sys

import pytest

from keras_bert import tasks
from keras_bert.export import export_saved_model
from keras_bert.files import manifest
from keras_bert.files import outputs


def _saved_model(task, folder, **arguments):
    export_saved_model(task, folder / "served", **arguments)
    return folder / "served" / "1"


def _tflite(task, folder, **arguments):
    from keras_bert.export import export_tflite

    path = folder / "m.tflite"
    export_tflite(task, path, "float32", files=["ids"], **arguments)
    return folder / "m_ids.tflite"


def _onnx(task, folder, **arguments):
    from keras_bert.export import export_onnx

    export_onnx(task, folder / "onnx", **arguments)
    return folder / "onnx"


# How to write each export, and the path that errors name.
_EXPORTS = {
    "served/1": _saved_model,
    "m_ids.tflite": _tflite,
    "onnx": _onnx,
}


@pytest.fixture(scope="module")
def embedder(bert):
    return tasks.TextEmbedder(bert, pooling="max", normalize=True)


def _contents(directory):
    return {x: x.read_bytes() for x in directory.rglob("*") if x.is_file()}


@pytest.mark.parametrize("name", _EXPORTS)
def test_an_export_keeps_to_the_rule(embedder, tmp_path, monkeypatch, name):
    monkeypatch.setattr(sys, "argv", [f"{tmp_path}/program"])
    export, output = _EXPORTS[name], tmp_path / name
    assert export(embedder, tmp_path) == output
    texts = [x.read_text("utf-8") for x in tmp_path.rglob("*.json")]
    assert texts and not [text for text in texts if str(tmp_path) in text]
    values = [json.loads(text) for text in texts]
    settings = [x.get("settings") for x in values if isinstance(x, dict)]
    how = [(x["pooling"], x["normalize"]) for x in settings if x]
    assert ("max", True) in how
    before = _contents(tmp_path)
    advice = " To add a version, pass version=2" if "1" in name else ""
    with pytest.raises(
        ValueError, match=f"pass overwrite=True to replace it.{advice}"
    ):
        export(embedder, tmp_path)

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for module in (manifest, outputs):
        monkeypatch.setattr(module, "manifest_values", fail)
    with pytest.raises(OSError, match=f"No space left.*: '{output}'"):
        export(embedder, tmp_path, overwrite=True)
    assert _contents(tmp_path) == before


@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("name", _EXPORTS)
def test_a_file_of_the_user_stays(embedder, tmp_path, name, overwrite):
    mine = tmp_path / name
    mine = mine if mine.suffix else mine / "deep/mine"
    mine.parent.mkdir(parents=True, exist_ok=True)
    mine.write_bytes(b"mine")
    with pytest.raises(ValueError, match=f"{mine} exists, and no manifest"):
        _EXPORTS[name](embedder, tmp_path, overwrite=overwrite)
    assert _contents(tmp_path) == {mine: b"mine"}


@pytest.mark.parametrize("name", ["served/1", "onnx"])
def test_other_outputs_of_ours_stay(embedder, tmp_path, name):
    with outputs.new_directory(tmp_path / name) as staging:
        (staging / "file").touch()
    with pytest.raises(ValueError, match="which contains a different"):
        _EXPORTS[name](embedder, tmp_path, overwrite=True)
    assert (tmp_path / name / "file").exists()
