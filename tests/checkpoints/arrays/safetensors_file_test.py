import json
import struct

import numpy as np
import pytest

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.errors import CheckpointError
from tests.checkpoints.arrays.refusal import check_refused


def write_raw(path, header, numbers=b"", length=None):
    """Write a file with any header text."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    length = len(text) if length is None else length
    path.write_bytes(struct.pack("<Q", length) + text + numbers)


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.safetensors"


def test_what_is_written_is_read(path):
    random = np.random.default_rng(0)
    arrays = {
        "b": random.normal(size=(3, 4)).astype(np.float32),
        "a": np.float32([1.5]),
        "scalar": np.array(2.5, np.float32),
        "empty": np.zeros((0, 3), np.float32),
    }
    write_safetensors(
        path, [(name, a.shape, lambda a=a: a) for name, a in arrays.items()]
    )
    file = SafetensorsFile(path)
    assert file.shapes == {name: a.shape for name, a in arrays.items()}
    for name, array in arrays.items():
        read = file.read(name)
        assert read.dtype == np.float32
        np.testing.assert_array_equal(read, array, strict=True)
        assert not (read.size and read.flags.owndata)  # It is not copied.


def test_the_file_is_as_the_format_says(path):
    # transformers needs the metadata, memory mapping needs alignment.
    write_safetensors(path, [("x", (2,), lambda: np.float32([1, 2]))])
    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    assert json.loads(data[8 : 8 + length]) == {
        "__metadata__": {"format": "pt"},
        "x": entry("F32", [2], 0, 8),
    }
    assert length % 8 == 0
    assert data[8 + length :] == struct.pack("<2f", 1, 2)


@pytest.mark.parametrize(
    "dtype, numbers",
    [
        ("F64", np.float64([1.5, -2])),
        ("F32", np.float32([1.5, -2])),
        ("F16", np.float16([1.5, -2])),
        ("BF16", np.uint16([0x3FC0, 0xC000])),
    ],
)
def test_all_widths_become_float32(path, dtype, numbers):
    data = numbers.tobytes()
    write_raw(path, {"x": entry(dtype, [2], 0, len(data))}, data)
    np.testing.assert_array_equal(
        SafetensorsFile(path).read("x"), np.float32([1.5, -2]), strict=True
    )


def test_integers_have_a_shape_but_are_not_read(path):
    write_raw(path, {"ids": entry("I64", [1, 2], 0, 16)}, bytes(16))
    file = SafetensorsFile(path)
    assert file.shapes == {"ids": (1, 2)}
    with pytest.raises(CheckpointError, match="ids must have dtype .*int64"):
        file.read("ids")


@pytest.mark.parametrize(
    "header, complaint",
    [
        ({"x": 3}, "x' must have a `shape`.*3"),
        ({"x": entry("F32", [2], 0, 4)}, "expected 8 bytes for x"),
        ({"x": entry("F32", [-1], 0, 4)}, "list of non-neg"),
        ({"x": entry("F32", [True], 0, 4)}, "list of non-neg"),
        ({"x": entry("F32", [1] * 99, 0, 4)}, "list of non-neg"),
        ({"x": entry("F32", [2**40, 2**40], 0, 8)}, "list of non-neg"),
        ({"x": entry("F32", [2], 8, 16)}, "begin at byte 0"),
        ({"x": entry("F32", [2], -8, 0)}, "expected 8 bytes for x"),
        ({"x": entry("F32", [2**20], 0, 2**22)}, "truncated"),
        ({"x": entry("F32", [1], 0, 4)}, "expected 4 bytes of array"),
        ({"x": entry("F33", [2], 0, 8)}, "`dtype` of .*'F33'"),
        ({"x\n": entry("F32", [2], 0, 8)}, "printable"),
        (
            {"x": entry("F32", [1], 0, 4), "y": entry("F32", [1], 5, 9)},
            "y must begin at byte 4",
        ),
        (b"{", "JSON"),
        (b'{"x": ' + b"[" * 10**5, "JSON"),
        (b"no header", "not a safetensors file"),
    ],
)
def test_wrong_headers_are_refused(path, header, complaint):
    write_raw(path, header, bytes(8))
    check_refused(SafetensorsFile, path, complaint)


@pytest.mark.parametrize("length", [100, 2**64 - 1])
def test_lengths_beyond_the_file_are_refused(path, length):
    write_raw(path, {"x": entry("F32", [2], 0, 8)}, bytes(8), length)
    check_refused(SafetensorsFile, path, "truncated|not a safetensors")
