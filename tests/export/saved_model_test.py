import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.protobuf import saved_model_pb2

from keras_bert import features
from keras_bert.export import export_saved_model
from keras_bert.export import saved_model
from keras_bert.tasks import FeatureExtractor
from keras_bert.tasks import FillMask

_TEXTS = ["the [MASK] eats a [MASK]", "", "[MASK]", "Dogs and cats. " * 9]
_TEXT_OPS = {"FastBertNormalize", "FastWordpieceTokenizeWithOffsets"}
_IDS = [feature.name for feature in features.ENCODER_INPUTS]

# What a server does: it has TensorFlow and the ops of tensorflow-text only.
_SERVER = """
import json, sys
import tensorflow as tf
import tensorflow_text

def plain(outputs):
    arrays = {name: value.numpy() for name, value in outputs.items()}
    return {
        name: (a.astype(str) if a.dtype == object else a).tolist()
        for name, a in arrays.items()
    }

request = json.load(sys.stdin)
model = tf.saved_model.load(request["directory"])
answers = {
    "serving_default": plain(
        model.signatures["serving_default"](text=tf.constant(request["text"]))
    ),
    "ids": plain(
        model.signatures["ids"](
            **{n: tf.constant(v, tf.int32) for n, v in request["ids"].items()}
        )
    ),
    "modules": sorted(sys.modules),
}
json.dump(answers, sys.stdout)
"""


@pytest.fixture(scope="module", params=[FillMask, FeatureExtractor])
def exported(request, bert, tmp_path_factory):
    """A task and the directory of its SavedModel."""
    task = request.param(bert)
    directory = tmp_path_factory.mktemp("served")
    export_saved_model(task, directory)
    return task, directory / "1"


@pytest.fixture(scope="module")
def answers(exported, tmp_path_factory):
    """What a process without keras_bert gets from the SavedModel."""
    task, directory = exported
    inputs = task.preprocess(_TEXTS)
    request = {
        "directory": str(directory),
        "text": _TEXTS,
        "ids": {name: inputs[name].numpy().tolist() for name in _IDS},
    }
    result = subprocess.run(
        [sys.executable, "-c", _SERVER],
        input=json.dumps(request),
        cwd=tmp_path_factory.mktemp("elsewhere"),
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.large
@pytest.mark.parametrize("signature", ["serving_default", "ids"])
def test_a_server_gives_the_answers_of_python(exported, answers, signature):
    task, _ = exported
    expected = task.predict_ids(task.preprocess(_TEXTS))
    assert sorted(answers[signature]) == sorted(task.outputs)
    for name, values in answers[signature].items():
        array = expected[name].numpy()
        if array.dtype == object:
            assert values == array.astype(str).tolist()
        else:
            np.testing.assert_allclose(values, array, atol=1e-5)


@pytest.mark.large
def test_a_server_needs_no_keras_bert(answers):
    modules = {name.partition(".")[0] for name in answers["modules"]}
    assert "tensorflow_text" in modules
    assert "keras_bert" not in modules


def test_signatures_have_the_documented_names(exported):
    task, directory = exported
    signatures = tf.saved_model.load(str(directory)).signatures
    assert sorted(signatures) == ["ids", "serving_default"]
    (_, inputs) = signatures["serving_default"].structured_input_signature
    assert inputs == {"text": tf.TensorSpec([None], tf.string, "text")}
    (_, inputs) = signatures["ids"].structured_input_signature
    assert inputs == {
        name: tf.TensorSpec([None, None], tf.int32, name) for name in _IDS
    }
    for signature in signatures.values():
        assert sorted(signature.structured_outputs) == sorted(task.outputs)


def test_ids_may_have_any_length(exported):
    task, directory = exported
    signatures = tf.saved_model.load(str(directory)).signatures
    text = task.preprocess(["[MASK] eats"])  # At most six pieces.
    expected = signatures["ids"](**text)
    short = signatures["ids"](**{name: text[name][:, :7] for name in _IDS})
    name = task.outputs[1]
    np.testing.assert_allclose(short[name], expected[name], atol=1e-5)


def test_only_two_ops_are_not_core(exported):
    _, directory = exported
    model = saved_model_pb2.SavedModel.FromString(
        (directory / "saved_model.pb").read_bytes()
    )
    ops = set()
    for meta_graph in model.meta_graphs:
        ops |= {node.op for node in meta_graph.graph_def.node}
        for function in meta_graph.graph_def.library.function:
            ops |= {node.op for node in function.node_def}
    assert {op for op in ops if not hasattr(tf.raw_ops, op)} == _TEXT_OPS
    for word in ("Table", "PyFunc", "StringLower"):
        assert not [op for op in ops if word in op]


def test_an_empty_directory_is_used(bert, tmp_path):
    (tmp_path / "1").mkdir()
    export_saved_model(FeatureExtractor(bert), tmp_path)
    assert "saved_model.pb" in os.listdir(tmp_path / "1")


def test_folders_on_the_way_are_made(bert, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    export_saved_model(FeatureExtractor(bert), "a/b/", version=12)
    assert "saved_model.pb" in os.listdir("a/b/12")
    assert "b" in pathlib.Path("a/b/model.config").read_text()


def test_a_directory_that_is_not_empty_is_refused(bert, tmp_path):
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "precious").write_text("text")
    with pytest.raises(ValueError, match=f"{tmp_path}/1/precious exists"):
        export_saved_model(FeatureExtractor(bert), tmp_path)
    assert os.listdir(tmp_path / "1") == ["precious"]


@pytest.mark.parametrize("name", ["file", "file/model"])
def test_a_file_in_the_way_is_refused_and_kept(bert, tmp_path, name):
    (tmp_path / "file").write_text("text")
    with pytest.raises((ValueError, OSError), match=f"{tmp_path}/file"):
        export_saved_model(FeatureExtractor(bert), tmp_path / name)
    assert (tmp_path / "file").read_text() == "text"
    assert os.listdir(tmp_path) == ["file"]


def test_a_failure_leaves_nothing(bert, tmp_path, monkeypatch):
    def fail(directory, requests):
        assert "saved_model.pb" in os.listdir(directory)
        raise OSError("no room on the disk")

    monkeypatch.setattr(saved_model, "write_warmup_requests", fail)
    with pytest.raises(OSError, match="no room"):
        export_saved_model(FeatureExtractor(bert), tmp_path)
    assert os.listdir(tmp_path) == []


def test_too_large_weights_are_refused_before_any_graph(
    bert, tmp_path, monkeypatch
):
    monkeypatch.setattr(saved_model, "_MOST_BYTES", 1000)
    monkeypatch.setattr(saved_model, "ServedGraph", None)
    with pytest.raises(ValueError, match="less than 2 GB. Received: .* GB"):
        export_saved_model(FeatureExtractor(bert), tmp_path)
    assert os.listdir(tmp_path) == []


def test_no_texts_give_no_rows(exported):
    _, directory = exported
    served = tf.saved_model.load(str(directory)).signatures["serving_default"]
    for tensor in served(text=tf.constant([], tf.string)).values():
        assert tensor.shape[0] == 0


def test_the_manifest_tells_of_the_task_and_lists_the_files(exported):
    task, directory = exported
    manifest = json.loads((directory / "manifest.json").read_text())
    assert manifest["task"] == type(task).__name__
    assert manifest["max_seq_length"] == 12
    assert manifest["do_lower_case"] is True
    assert manifest["command"] == []  # It may hold a path of this machine.
    files = [p for p in directory.rglob("*") if p.is_file()]
    names = {p.relative_to(directory).as_posix() for p in files}
    assert {*manifest["files"]} == names - {"manifest.json"}


def test_what_we_wrote_is_replaced_when_asked(bert, tmp_path, monkeypatch):
    export_saved_model(FeatureExtractor(bert), tmp_path)
    with pytest.raises(ValueError, match="must be new: .*--overwrite"):
        export_saved_model(FeatureExtractor(bert), tmp_path)
    export_saved_model(FeatureExtractor(bert, 7), tmp_path, overwrite=True)
    manifest = tmp_path / "1" / "manifest.json"
    assert json.loads(manifest.read_text())["max_seq_length"] == 7
    tf.saved_model.load(str(tmp_path / "1"))
    before = manifest.read_bytes()
    (tmp_path / "1" / "assets.extra" / "mine").write_text("text")
    with pytest.raises(ValueError, match="assets.extra/mine exists, and no"):
        export_saved_model(FeatureExtractor(bert), tmp_path, overwrite=True)
    (tmp_path / "1" / "assets.extra" / "mine").unlink()
    monkeypatch.setattr(saved_model, "write_warmup_requests", None)
    with pytest.raises(TypeError):
        export_saved_model(FeatureExtractor(bert), tmp_path, overwrite=True)
    assert manifest.read_bytes() == before
    tf.saved_model.load(str(tmp_path / "1"))
