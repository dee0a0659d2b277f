import os
import pathlib
import pickle
import struct
import tracemalloc
import zipfile

import numpy as np
import pytest

from keras_bert.checkpoints.arrays.torch_file import TorchFile
from keras_bert.checkpoints.errors import CheckpointError
from tests.checkpoints.arrays.refusal import check_refused

_GOLDEN = pathlib.Path(__file__).parents[2] / "golden" / "torch"
_NUMBERS = np.arange(6, dtype=np.float32)
_REBUILD = b"ctorch._utils\n_rebuild_tensor_v2\n"


def plain(value):
    """Return the opcodes of a plain value."""
    return pickle.dumps(value, 2)[2:-1]


def tensor(shape, strides, offset=0, count=6, key="0", kind="FloatStorage"):
    """Return the opcodes of a tensor, as written by torch."""
    return b"".join(
        (
            _REBUILD,
            b"((",
            plain("storage"),
            f"ctorch\n{kind}\n".encode(),
            *map(plain, (key, "cpu", count)),
            b"tQ",
            *map(plain, (offset, shape, strides, False)),
            b"ccollections\nOrderedDict\n)RtR",
        )
    )


def dictionary(**values):
    """Return a pickle of a dictionary of opcodes."""
    items = b"".join(plain(name) + value for name, value in values.items())
    return b"\x80\x02}(" + items + b"u."


def write_zip(path, pickled, order=b"little", method=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr("archive/data.pkl", pickled)
        if order:
            file.writestr("archive/byteorder", order)
        numbers = _NUMBERS.astype(">f4" if order == b"big" else "<f4")
        file.writestr("archive/data/0", numbers.tobytes())
        file.writestr("archive/version", b"3\n")


def write_legacy(path, pickled, keys=("0",), count=6, machine=True):
    numbers = _NUMBERS.astype("<f4").tobytes()
    parts = [
        *(pickle.dumps(0x1950A86A20F9469CFC6C, 2), pickle.dumps(1001, 2)),
        pickle.dumps({"little_endian": machine}, 2),
        *(pickled, pickle.dumps([*keys], 2)),
    ]
    for _ in keys:
        parts += [struct.pack("<q", count), numbers]
    path.write_bytes(b"".join(parts))


_WRITERS = pytest.mark.parametrize("write", [write_zip, write_legacy])


@pytest.fixture
def path(tmp_path):
    return tmp_path / "pytorch_model.bin"


@pytest.mark.parametrize("name", ["zip.bin", "legacy.bin"])
def test_files_of_torch_are_read(name):
    file = TorchFile(_GOLDEN / name)
    assert not file.read("float32").flags.owndata
    expected = np.load(_GOLDEN / "expected.npz")
    assert {*file.shapes} == {*expected, "int64"}
    for name in expected:
        assert file.shapes[name] == expected[name].shape
        np.testing.assert_array_equal(
            file.read(name), expected[name], strict=True
        )
    assert file.shapes["int64"] == (4,)
    with pytest.raises(CheckpointError, match="int64 must have .*=int64"):
        file.read("int64")


def test_big_endian_machines_are_read(path):
    pickled = dictionary(x=tensor((6,), (1,)), step=plain(3))
    write_zip(path, pickled, b"big")
    read = TorchFile(path).read("x")  # The step is no array.
    np.testing.assert_array_equal(read, _NUMBERS, strict=True)
    write_legacy(path, pickled, machine=False)
    check_refused(TorchFile, path, "big-endian")


@_WRITERS
@pytest.mark.parametrize(
    "opcodes, complaint",
    [
        (tensor((7,), (1,)), "within its storage"),
        (tensor((6,), (1,), offset=-1), "within its storage"),
        (tensor((6,), (1,), offset=0.0), "within its storage"),
        (tensor((6,), (1, 1)), "within its storage"),
        (tensor((10**9,), (0,)), "within its storage"),
        (tensor((2,), (-1,), offset=3), "list of non-neg"),
        (tensor(None, None), "list of non-neg"),
        (tensor((6,), (1,), count=7), "expected 28 bytes|truncated"),
        (tensor((6,), (1,), key="../0"), "storage of x|unknown storage"),
        (tensor((6,), (1,), kind="QInt8Storage"), "torch.QInt8Storage"),
        (plain(3), "must contain a state dict"),
    ],
)
def test_tensors_outside_their_storage_are_refused(
    path, write, opcodes, complaint
):
    write(path, dictionary(x=opcodes))
    check_refused(TorchFile, path, complaint)


@_WRITERS
def test_dictionaries_one_level_down_are_pointed_at(path, write):
    inner = dictionary(x=tensor((6,), (1,)))[2:-1]
    write(path, dictionary(state_dict=inner))
    check_refused(TorchFile, path, "under the key 'state_dict'")


def hostile_pickles(marker):
    """Return pickles that would create the file `marker` or fill the memory."""
    command = f"touch {marker}"

    class Reduced:
        def __reduce__(self):
            return os.system, (command,)

    text, line = plain(command), command.encode()
    # Expanded, it would have 2 ** 200 leaves.
    nested = b")" + b"q\0h\0\x86" * 200
    shape = tensor(None, None).replace(b"N", nested, 1)
    return {
        "reduce": (pickle.dumps(Reduced(), 2), "system"),
        "stack_global": (pickle.dumps(Reduced(), 4), "system"),
        "inst": (b"(S'" + line + b"'\nios\nsystem\n.", "os.system"),
        "build_known": (_REBUILD + plain({"__setstate__": 1}) + b"b.", "dict"),
        "attribute": (b"\x80\x04ctorch._utils\n_os.system\n.", "_os.system"),
        "call_of_text": (plain("eval") + text + b"\x85R.", "not callable"),
        "extension": (b"\x82\x01.", "extension"),
        "huge_text": (b"X\xff\xff\xff\x7fabc.", "expected"),
        "nested_shape": (dictionary(x=shape), "list of non-neg"),
        "no_stop": (b"\x80\x02}", "pickle"),
    }


@_WRITERS
@pytest.mark.parametrize("name", [*hostile_pickles("/")])
def test_pickles_can_run_no_code(path, tmp_path, write, name):
    pickled, complaint = hostile_pickles(tmp_path / "marker")[name]
    write(path, pickled)
    check_refused(TorchFile, path, complaint)
    assert not (tmp_path / "marker").exists()


def _moved(mark, place, offset):
    """Return a function that adds to an offset in the directory of a zip."""

    def move(data):
        place_of = data.index(mark) + place
        (old,) = struct.unpack_from("<L", data, place_of)
        new = struct.pack("<L", old + offset)
        return data[:place_of] + new + data[place_of + 4 :]

    return move


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.replace(b"archive/version", b"archive/data/0\0"),
        _moved(b"PK\1\2", 42, 2**31),
        _moved(b"PK\1\2", 42, 7),
        _moved(b"PK\5\6", 16, 40),
    ],
    ids=["two of a name", "outside", "elsewhere", "before"],
)
def test_damaged_zip_files_are_refused(path, change):
    write_zip(path, dictionary(x=tensor((6,), (1,))))
    path.write_bytes(change(path.read_bytes()))
    check_refused(TorchFile, path, "damaged zip file")


@pytest.mark.parametrize(
    "write, arguments, complaint",
    [
        (write_zip, {"method": zipfile.ZIP_DEFLATED}, "must not be compressed"),
        (write_zip, {"order": b"middle"}, "byte order"),
        (write_legacy, {"count": 7}, "truncated|must take"),
        (write_legacy, {"count": 2**62}, "truncated|must take"),
        (write_legacy, {"keys": ("0", "1")}, "unknown storage '1'"),
    ],
)
def test_other_files_are_refused(path, write, arguments, complaint):
    write(path, dictionary(x=tensor((6,), (1,))), **arguments)
    check_refused(TorchFile, path, complaint)


def test_a_zip_file_without_a_pickle_is_refused(path):
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("readme.txt", "hello")
    check_refused(TorchFile, path, "must contain one data.pkl")


def test_a_directory_of_many_entries_takes_little_memory(path):
    entry = struct.pack("<4s42x", b"PK\1\2")
    directory = entry * 20_000
    counts = struct.pack("<HHLL", 20_000, 20_000, len(directory), 4)
    path.write_bytes(
        b"PK\3\4" + directory + b"PK\5\6" + bytes(4) + counts + bytes(2)
    )
    tracemalloc.start()
    try:
        check_refused(TorchFile, path, "damaged zip file")
        assert tracemalloc.get_traced_memory()[1] < 16 * len(directory)
    finally:
        tracemalloc.stop()
