"""Each export beside its manifest: whole, ours, and of no one machine."""

import errno
import json
import os
import subprocess
import sys

import pytest

from keras_bert import artifacts
from keras_bert import tasks
from keras_bert.export import export_saved_model


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


# How each writes, and the output that an error names.
_EXPORTS = {
    "served/1": _saved_model,
    "m_ids.tflite": _tflite,
    "onnx": _onnx,
}


@pytest.fixture(scope="module")
def embedder(bert):
    return tasks.TextEmbedder(bert, pooling="max", normalize=True)


@pytest.mark.parametrize("name", _EXPORTS)
def test_an_export_keeps_to_the_rule(embedder, tmp_path, monkeypatch, name):
    monkeypatch.setattr(sys, "argv", [f"{tmp_path}/program"])
    export, output = _EXPORTS[name], tmp_path / name
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = output.with_name(f".{output.name}.{dead.pid}.tmp")
    left.mkdir(parents=True)

    def fail(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(artifacts, "size_entry", fail)
        with pytest.raises(OSError, match=f"No space left.*: '{output}'"):
            export(embedder, tmp_path)
    assert not output.exists() and not left.exists()
    assert export(embedder, tmp_path) == output
    texts = [x.read_text("utf-8") for x in tmp_path.rglob("*.json")]
    assert texts and not [text for text in texts if str(tmp_path) in text]
    told = [json.loads(text).get("settings") for text in texts]
    how = [(x["pooling"], x["normalize"]) for x in told if x]
    assert ("max", True) in how
    with pytest.raises(ValueError, match="pass overwrite=True to replace it"):
        export(embedder, tmp_path)
