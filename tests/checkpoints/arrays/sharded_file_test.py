import json

import numpy as np
import pytest

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.arrays.sharded_file import open_sharded
from keras_bert.checkpoints.errors import CheckpointError

_MAP = {"a": "model-1.safetensors", "b": "model-2.safetensors"}


@pytest.fixture
def index(tmp_path):
    """Return the index of two valid shards."""
    for number, (name, file) in enumerate(_MAP.items()):
        write_safetensors(
            tmp_path / file,
            [(name, (2,), lambda number=number: np.full(2, number))],
        )
    path = tmp_path / "model.safetensors.index.json"
    write_index(path, _MAP)
    return path


def write_index(path, files):
    values = {"metadata": {"total_size": 16}, "weight_map": files}
    path.write_text(json.dumps(values))


def refuse(index, complaint):
    with pytest.raises(CheckpointError, match=complaint) as info:
        open_sharded(index, SafetensorsFile)
    assert "\n" not in str(info.value)


def test_shards_may_be_links_as_in_the_cache_of_hugging_face(index, tmp_path):
    blobs = tmp_path / "blobs"
    blobs.mkdir()
    shard = tmp_path / _MAP["a"]
    shard.rename(blobs / "0123")
    shard.symlink_to(blobs / "0123")
    file = open_sharded(index, SafetensorsFile)
    assert file.shapes == {"a": (2,), "b": (2,)}
    np.testing.assert_array_equal(file.read("a"), [0, 0])
    np.testing.assert_array_equal(file.read("b"), [1, 1])


def test_missing_shards_are_named(index, tmp_path):
    (tmp_path / _MAP["b"]).unlink()
    refuse(index, "model-2.safetensors cannot be read: No such")
    index.write_text("[]")
    refuse(index, "JSON object")


_OUTSIDE = "'b' must be in a file of the same directory"


@pytest.mark.parametrize(
    "files, complaint",
    [
        *(
            ({**_MAP, "b": file}, _OUTSIDE)
            for file in (
                *("../model-2.safetensors", "/etc/passwd", "..", ""),
                *("..\\model-2.safetensors", "C:model-2.safetensors"),
                *("model\0.safetensors", "model\n.safetensors", 7),
            )
        ),
        ({**_MAP, "c": _MAP["a"]}, "lists 'c' in model-1"),
        ({**_MAP, "b": _MAP["a"]}, "lists 'b' in model-1"),
        ({**_MAP, "\n": _MAP["b"]}, r"'\\n' in model"),
        *((files, "weight_map") for files in ({}, ["a"], None)),
    ],
)
def test_wrong_indexes_are_refused(index, files, complaint):
    write_index(index, files)
    refuse(index, complaint)
