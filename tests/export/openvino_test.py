import json
import sys

import numpy as np
import pytest

from keras_bert import processor
from keras_bert.export import export_openvino
from tests.export.conftest import TASKS
from tests.export.conftest import run_openvino

_WORDS = "a the dog cat bird fish eats sees meat".split()
_TEXTS = [
    " ".join(_WORDS[number // 9**place % 9] for place in range(number % 4))
    for number in range(1000, 1320)
]


@pytest.mark.loaders
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("precision, atol", [("float16", 0.05), ("int8", 0.1)])
def test_a_rounded_model_answers_as_python(
    make_bert, tmp_path, precision, atol
):
    # In int8, narrow models and large weights differ too much, above all on
    # processors without VNNI.
    sizes = {"hidden_size": 64, "initializer_range": 0.1}
    task = TASKS["embedder"](make_bert(**sizes))
    options = {"texts": _TEXTS} if precision == "int8" else {}
    run = run_openvino(task, tmp_path / "o", precision=precision, **options)
    ids = task.preprocess(_TEXTS[1:4])
    found = run({name: x.numpy() for name, x in ids.items()})["embedding"]
    expected = task.predict_ids(ids)["embedding"]
    np.testing.assert_allclose(found, expected, atol=atol)
    manifest = json.loads((tmp_path / "o" / "manifest.json").read_text())
    assert manifest["precision"] == precision
    assert (manifest["comparison"] is None) == (precision != "int8")


@pytest.mark.parametrize(
    ("flags", "is_slow"),
    [("avx2", True), ("avx2 avx_vnni", False)],
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
