import sys

import pytest

from keras_bert import processor
from keras_bert.export import export_openvino
from tests.export.conftest import TASKS


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
    task, texts = TASKS["classifier"](bert), ["a cat"] * 320
    with pytest.raises(ModuleNotFoundError):
        export_openvino(task, tmp_path / "o", precision="int8", texts=texts)
    assert ("without VNNI or AMX" in caplog.text) == is_slow
