"""Corrupt and hostile bytes: every reader raises or reads the whole file."""

import json
import pathlib
import random
import shutil
import tracemalloc

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints.arrays import tensor_bundle
from keras_bert.checkpoints.arrays import tensorflow_file
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.arrays.sharded_file import open_sharded
from keras_bert.checkpoints.arrays.tensorflow_file import TensorFlowFile
from keras_bert.checkpoints.arrays.torch_file import TorchFile
from keras_bert.checkpoints.errors import CheckpointError

_GOLDEN = pathlib.Path(__file__).parents[1] / "golden"
_SEED = 1810
_NUM_CASES = 400
_BYTES = (0, 1, 2, 0x7F, 0x80, 0xFF)
# Memory limit of a reader: a multiple of the file, plus Python's own.
_MAX_TIMES = 16
_MAX_MORE = 2**19


def make_safetensors(directory):
    path = directory / "model.safetensors"
    arrays = [(name, (3, 4), lambda: np.ones((3, 4))) for name in "abc"]
    write_safetensors(path, arrays)
    return path, path


def make_index(directory):
    make_safetensors(directory)
    index = directory / "model.safetensors.index.json"
    files = dict.fromkeys("abc", "model.safetensors")
    index.write_text(json.dumps({"weight_map": files}))
    return index, index


def make_torch(name):
    def make(directory):
        path = directory / name
        shutil.copy(_GOLDEN / "torch" / name, path)
        return path, path

    return make


def make_tensorflow(ending):
    def make(directory):
        prefix = directory / "bert_model.ckpt"
        variables = {name: tf.Variable(tf.ones((3, 4))) for name in "abc"}
        tf.train.Checkpoint(**variables).write(str(prefix))
        return prefix, directory / f"bert_model.ckpt.{ending}"

    return make


# How to write and read a valid file.
_FORMATS = {
    "safetensors": (make_safetensors, SafetensorsFile),
    "index": (make_index, lambda x: open_sharded(x, SafetensorsFile)),
    "torch_zip": (make_torch("zip.bin"), TorchFile),
    "torch_legacy": (make_torch("legacy.bin"), TorchFile),
    "tensorflow_index": (make_tensorflow("index"), TensorFlowFile),
    "tensorflow_data": (make_tensorflow("data-00000-of-00001"), TensorFlowFile),
}


class AnyNumber:
    """Checksum equal to any number, as an attacker would compute it."""

    def __ne__(self, other):
        return False


def damage(data, chance):
    """Flip, truncate or splice bytes."""
    data = bytearray(data)
    kind = chance.random()
    if kind < 0.15:
        del data[chance.randrange(len(data)) :]
    elif kind < 0.3:
        source, target = (chance.randrange(len(data)) for _ in range(2))
        length = chance.randrange(1, 64)
        end = target + length * chance.randrange(2)
        data[target:end] = data[source : source + length]
    else:
        # Bytes that are not zero have the most effect.
        meaningful = [i for i, byte in enumerate(data) if byte]
        for _ in range(chance.choice((1, 1, 1, 2, 8))):
            byte = chance.choice((*_BYTES, chance.randrange(256)))
            data[chance.choice(meaningful)] = byte
    return bytes(data)


def read_all(open_file, path):
    """Read all readable arrays; return their number."""
    try:
        file = open_file(path)
    except CheckpointError as error:
        check_message(error)
        return 0
    count = 0
    for name, shape in file.shapes.items():
        try:
            array = file.read(name)
        except CheckpointError as error:
            check_message(error)
            continue
        assert array.shape == shape
        assert array.dtype == np.float32
        array.sum()
        count += 1
    return count


def check_message(error):
    assert "\n" not in str(error)
    assert len(str(error)) < 1000
    assert error.__cause__ is None


def run_cases(name, directory, num_cases):
    """Return the number of cases that were read partly or fully."""
    make, open_file = _FORMATS[name]
    path, victim = make(directory)
    good = victim.read_bytes()
    size = sum(p.stat().st_size for p in directory.iterdir())
    assert read_all(open_file, path) > 0
    chance = random.Random(f"{name} {_SEED}")
    read = 0
    tracemalloc.start()
    try:
        for _ in range(num_cases):
            # Use a new file, because the old one may still be mapped.
            victim.unlink()
            victim.write_bytes(damage(good, chance))
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            with np.errstate(all="ignore"):
                read += read_all(open_file, path) > 0
            _, peak = tracemalloc.get_traced_memory()
            assert peak - before < _MAX_TIMES * size + _MAX_MORE
    finally:
        tracemalloc.stop()
    return read


@pytest.mark.parametrize("name", [*_FORMATS])
def test_damaged_files_are_refused_or_read_whole(name, tmp_path):
    read = run_cases(name, tmp_path, _NUM_CASES)
    # Some damage is detected, some is harmless.
    assert 0 < read < _NUM_CASES


@pytest.mark.parametrize("name", [*_FORMATS])
def test_any_cut_is_seen(name, tmp_path):
    make, open_file = _FORMATS[name]
    path, victim = make(tmp_path)
    data = victim.read_bytes()
    for length in range(0, len(data), max(1, len(data) // 97)):
        victim.unlink()
        victim.write_bytes(data[:length])
        with pytest.raises(CheckpointError):
            open_file(path)


@pytest.mark.parametrize(
    "data, complaint",
    [
        (None, "cannot be read: No such file"),
        (b"", "is empty"),
        (b"version https://git-lfs.github.com/spec/v1\n", "git lfs pull"),
        (b"<html>", "truncated|wrong magic number|not a JSON file"),
    ],
)
@pytest.mark.parametrize("name", [*_FORMATS])
def test_files_of_another_kind_are_explained(name, data, complaint, tmp_path):
    make, open_file = _FORMATS[name]
    path, victim = make(tmp_path)
    victim.unlink()
    if data is not None:
        victim.write_bytes(data)
    with pytest.raises(CheckpointError, match=complaint) as info:
        open_file(path)
    assert str(path) in str(info.value)
    check_message(info.value)


@pytest.mark.parametrize("name", ["tensorflow_index", "tensorflow_data"])
def test_hostile_numbers_under_right_checksums(name, tmp_path, monkeypatch):
    def any_checksum(*_):
        return AnyNumber()

    monkeypatch.setattr(tensor_bundle, "checksum", any_checksum)
    monkeypatch.setattr(tensorflow_file, "checksum", any_checksum)
    monkeypatch.setattr(tensorflow_file, "masked_crc", any_checksum)
    assert 0 < run_cases(name, tmp_path, _NUM_CASES)
