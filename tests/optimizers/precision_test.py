import pathlib

import keras
import pytest

from keras_bert.optimizers.precision import dtype_policy
from keras_bert.pretraining.job.choices import PRECISIONS


@pytest.mark.parametrize("precision", PRECISIONS)
def test_every_precision_is_a_policy_of_keras(precision):
    name = dtype_policy(precision)
    assert name == precision or precision == "auto"
    assert keras.DTypePolicy(name).variable_dtype == "float32"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("fpu avx2 avx512f", "float32"),
        ("fpu avx512_bf16 avx512f", "mixed_bfloat16"),
        ("fpu amx_bf16", "mixed_bfloat16"),
        ("fpu not_amx_bf16x", "float32"),
        (None, "float32"),
    ],
)
def test_auto_is_bfloat16_where_the_processor_has_it(
    monkeypatch, flags, expected
):
    def read_text(path, encoding):
        assert str(path) == "/proc/cpuinfo"
        if flags is None:
            raise FileNotFoundError(path)
        return f"processor : 0\nflags\t\t: {flags}\n"

    monkeypatch.setattr(pathlib.Path, "read_text", read_text)
    assert dtype_policy("auto") == expected
