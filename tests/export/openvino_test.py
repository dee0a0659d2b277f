"""OpenVINO directories; `make test-loaders` runs them in OpenVINO."""

import json
import os
import sys

import numpy as np
import pytest

from keras_bert import processor
from tests.export.conftest import TASKS
from tests.export.conftest import columns

pytest.importorskip("tf2onnx")

from keras_bert.export import export_openvino  # noqa: E402

_WORDS = "a the dog cat bird fish eats sees meat".split()
_TEXTS = [
    " ".join(_WORDS[number // 9**place % 9] for place in range(number % 4))
    for number in range(1000, 1320)
]
_IDS = {
    "input_ids": "input_ids",
    "attention_mask": "input_mask",
    "token_type_ids": "segment_ids",
}


def _run(directory, ids):
    """Return the outputs of a directory in OpenVINO by name."""
    import openvino

    model = openvino.compile_model(
        directory / "openvino_model.xml",
        "CPU",
        {"INFERENCE_PRECISION_HINT": "f32"},
    )
    feed = {x: np.array(ids[_IDS[x]], np.int64) for x in _IDS}
    return {key.any_name: x for key, x in model(feed).items()}


def _manifest(directory):
    return json.loads((directory / "manifest.json").read_text())


@pytest.mark.loaders
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "precision", "atol"),
    [
        ("answerer", "float32", 1e-4),
        ("of_pairs", "float32", 1e-4),
        ("tagger", "float16", 0.05),
        ("embedder", "float16", 0.05),
        ("embedder", "int8", 0.1),
    ],
)
def test_a_model_answers_as_python(make_bert, tmp_path, name, precision, atol):
    # A narrow model differs too much in int8.
    task, directory = TASKS[name](make_bert(hidden_size=64)), tmp_path / "ov"
    packed = name in ("answerer", "embedder")
    given = [*columns(task, _TEXTS).values()]
    texts = given[0] if len(given) == 1 else [*zip(*given)]
    if precision != "int8":
        texts = None
    export_openvino(
        task, directory, packed=packed, precision=precision, texts=texts
    )
    ids = task.preprocess(*columns(task, _TEXTS[1:4]).values())
    found, expected = _run(directory, ids), task.predict_ids(ids)
    names = {"embedding": "sentence_embedding"}
    mask = np.array(ids["input_mask"], bool)
    num_compared = 0
    for key, values in expected.items():
        values = np.asarray(values)
        if values.dtype.kind == "f":
            is_per_token = values.shape[:2] == mask.shape
            where = mask if is_per_token else slice(None)
            both = found[names.get(key, key)][where], values[where]
            np.testing.assert_allclose(*both, atol=atol)
            num_compared += 1
    assert num_compared
    manifest = _manifest(directory)
    assert manifest["outputs"][0] in found
    assert (manifest["packed"], manifest["precision"]) == (packed, precision)
    assert (manifest["comparison"] is None) == (precision != "int8")
    assert {"config.json", "tokenizer.json"} <= {*os.listdir(directory)}


@pytest.mark.loaders
@pytest.mark.filterwarnings("ignore")
def test_an_int8_model_that_differs_is_refused(bert, tmp_path, monkeypatch):
    from keras_bert.export import quantization_comparison

    monkeypatch.setattr(quantization_comparison, "_MIN_COSINE", 1.1)
    task = TASKS["embedder"](bert)
    with pytest.raises(ValueError, match="mean cosine of 0.985.* Received"):
        export_openvino(task, tmp_path / "o", precision="int8", texts=_TEXTS)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"precision": "int4"}, "`precision`.*float16.*int8.*'int4'"),
        ({"texts": ["a"]}, "`texts` must be passed with precision='int8'"),
        ({"precision": "int8"}, "`texts` must be about 320.*texts=None"),
        ({"texts": [], "precision": "int8"}, "must not be empty"),
        ({"texts": [3], "precision": "int8"}, "must contain str.*3"),
    ],
)
def test_arguments_that_are_refused(bert, tmp_path, arguments, words):
    with pytest.raises(ValueError, match=words):
        export_openvino(TASKS["classifier"](bert), tmp_path / "o", **arguments)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("package", "precision"), [("openvino", "float32"), ("nncf", "int8")]
)
def test_a_missing_package_is_named(
    bert, tmp_path, monkeypatch, package, precision
):
    monkeypatch.setitem(sys.modules, package, None)
    texts = _TEXTS if precision == "int8" else None
    with pytest.raises(ModuleNotFoundError, match=f"{package}.*tf.openvino"):
        export_openvino(
            TASKS["classifier"](bert),
            tmp_path / "o",
            precision=precision,
            texts=texts,
        )


@pytest.mark.parametrize(
    ("flags", "is_slow"),
    [("avx2", True), ("avx2 avx_vnni", False), ("avx512_vnni", False)],
)
def test_int8_that_cannot_be_fast_is_reported(
    bert, tmp_path, monkeypatch, caplog, flags, is_slow
):
    (tmp_path / "cpuinfo").write_text(f"flags : fpu {flags}\n")
    monkeypatch.setattr(processor, "_CPU_INFO", tmp_path / "cpuinfo")
    monkeypatch.setitem(sys.modules, "nncf", None)
    task, texts = TASKS["classifier"](bert), _TEXTS
    with pytest.raises(ModuleNotFoundError):
        export_openvino(task, tmp_path / "o", precision="int8", texts=texts)
    assert ("without VNNI or AMX" in caplog.text) == is_slow
