"""Both TFLite files of every task, compared with Python."""

import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from keras_bert.export import export_tflite
from keras_bert.export.tflite.comparison import signature_runner
from tests.export.conftest import IN_TFLITE
from tests.export.conftest import TASKS
from tests.export.conftest import columns

_HARD = [
    b"the dog eats meat",
    b"",
    b"[MASK] zebra, a [MASK].",
    b"cats and " * 30,
    b"x" * 10_000,
    "a \N{GRINNING FACE} \u4e2d\u6587 caf\u00e9".encode(),
    b"a dog\0 eats",
    b"a \xff\xfe\xc3( dog",
]

# Runs like a phone, without TensorFlow and keras_bert.
_PHONE = """
import sys
import numpy as np
from ai_edge_litert.interpreter import Interpreter

inputs = dict(np.load(sys.argv[2]))
run = Interpreter(model_path=sys.argv[1], num_threads=1).get_signature_runner()
outputs = run(**inputs)
foreign = {"tensorflow", "keras", "keras_bert", "tensorflow_text"}
assert not foreign & {*sys.modules}, foreign & {*sys.modules}
np.savez(sys.argv[3], **{
    name: x.astype("S") if x.dtype == object else x
    for name, x in outputs.items()
})
"""


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            name, marks=() if name == "answerer" else pytest.mark.exhaustive
        )
        for name in IN_TFLITE
    ],
)
def exported(request, bert, tmp_path_factory):
    """Return a task, the folder of its files and the export's comparison."""
    task = TASKS[request.param](bert)
    folder = tmp_path_factory.mktemp("tflite")
    found = export_tflite(task, folder / "model.tflite", kind="float32")
    return task, folder, found


def _columns(task, rows=_HARD):
    return {
        name: np.array(values, object).reshape(
            [len(rows), 2][: len(task.text_shapes.get(name, [None]))]
        )
        for name, values in columns(task, rows).items()
    }


def _assert_equal(found, expected):
    """Assert equality except for the padding after the longest text."""
    assert sorted(found) == sorted(expected)
    for name, array in expected.items():
        array = array.numpy()[tuple(map(slice, found[name].shape))]
        assert found[name].shape == array.shape
        if array.dtype.kind == "f":
            np.testing.assert_allclose(found[name], array, atol=1e-4)
        else:
            np.testing.assert_array_equal(found[name], array)


def test_the_text_file_answers_as_python(exported):
    task, folder, _ = exported
    data = (folder / "model_text.tflite").read_bytes()
    run = signature_runner(data, has_text=True)
    for rows in (_HARD, [], _HARD[:1], _HARD[4:5]):
        columns = _columns(task, rows)
        found = run(**columns)
        if not rows:
            assert {len(values) for values in found.values()} == {0}
            continue
        expected = task.predict_texts(*columns.values())
        for name in task.substring_outputs:
            del expected[name]
        _assert_equal(found, expected)


def test_the_ids_file_needs_no_tensorflow(exported, tmp_path):
    task, folder, _ = exported
    inputs = task.preprocess(*_columns(task).values())
    inputs = {name: inputs[name] for name in task.input_names}
    np.savez(tmp_path / "inputs.npz", **inputs)
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            _PHONE,
            folder / "model_ids.tflite",
            "inputs.npz",
            "outputs.npz",
        ],
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    found = np.load(tmp_path / "outputs.npz")
    expected = task.predict_ids(inputs)
    assert sorted(found) == sorted(expected)
    for name, array in expected.items():
        array = array.numpy()
        if array.dtype.kind == "f":
            np.testing.assert_allclose(found[name], array, atol=1e-4)
        else:
            values = found[name].astype(array.dtype)
            np.testing.assert_array_equal(values, array)


def test_what_was_found_stands_in_the_manifest(exported):
    task, folder, found = exported
    for name in ("text", "ids"):
        file = f"model_{name}.tflite"
        manifest = json.loads((folder / f"manifest-{file}.json").read_text())
        assert manifest["task"] == type(task).__name__
        assert manifest["kind"] == "float32"
        assert manifest["is_within_tolerance"]
        assert [*manifest["files"]] == [file]
        comparison = manifest["comparison"]
        assert comparison["greatest_difference"] < 1e-4
        assert comparison["num_equal_labels"] == comparison["num_labels"]
        assert comparison["megabytes"] == found[name].megabytes > 0
        assert comparison["milliseconds"] > 0
        # In the file of ids, the windows of a long context are separate rows.
        is_in_windows = name == "ids" and "context" in task.text_inputs
        assert comparison["num_texts"] == (42 if is_in_windows else 16)
    assert manifest["inputs"] == [*task.input_names]


def test_the_file_holds_what_an_app_must_know(exported):
    task, folder, _ = exported
    with zipfile.ZipFile(folder / "model_ids.tflite") as archive:
        about = json.loads(archive.read("export.json"))
        tokens = archive.read("vocab.txt").decode().split("\n")
        names = archive.namelist()
        if "labels.txt" in names:
            labels = archive.read("labels.txt").decode().splitlines()
            assert labels == task.labels
    assert ("labels.txt" in names) == hasattr(task, "labels")
    assert about["kind"] == "float32"
    assert about["max_seq_length"] == 12
    assert about["versions"]["keras_bert"] == "0.1.0"
    assert tokens == [*task.preprocess.tokenizer.vocabulary.tokens, ""]
