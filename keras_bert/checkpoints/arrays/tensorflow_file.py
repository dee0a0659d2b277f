"""Reader and writer for TensorFlow checkpoints (TF1 and TF2)."""

import collections
import math
import os
import struct

import tensorflow as tf
from google.protobuf.message import DecodeError
from tensorflow.core.framework.types_pb2 import DataType
from tensorflow.core.protobuf import trackable_object_graph_pb2 as graph_pb2

from keras_bert.checkpoints.arrays.raw_arrays import ITEM_SIZES
from keras_bert.checkpoints.arrays.raw_arrays import check_array
from keras_bert.checkpoints.arrays.raw_arrays import check_float
from keras_bert.checkpoints.arrays.raw_arrays import floats
from keras_bert.checkpoints.arrays.raw_arrays import map_file
from keras_bert.checkpoints.arrays.tensor_bundle import checksum
from keras_bert.checkpoints.arrays.tensor_bundle import read_index
from keras_bert.checkpoints.arrays.tensor_bundle import read_varint
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.files.tfrecord import masked_crc
from keras_bert.messages import brief

_DTYPES = {
    DataType.DT_DOUBLE: "float64",
    DataType.DT_FLOAT: "float32",
    DataType.DT_HALF: "float16",
    DataType.DT_BFLOAT16: "bfloat16",
}
_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_LENGTH = struct.Struct("<L")
_CRC_SIZE = 4
_VALUE = "VARIABLE_VALUE"
_SUFFIX = f"/.ATTRIBUTES/{_VALUE}"
_NO_WEIGHTS = ("optimizer/", "save_counter/")


class TensorFlowFile:
    """Reader for the named arrays in a TensorFlow checkpoint.

    A TF1 checkpoint stores variables by name. A TF2 checkpoint stores a graph
    of objects (`object_based`); its variables are read by their full names,
    without optimizer variables.

    Args:
        prefix: str or `pathlib.Path`, path of the files without their suffixes
            `.index` and `.data-?????-of-?????`.

    Raises:
        CheckpointError: a file is missing, cannot be read or is damaged.
    """

    def __init__(self, prefix):
        self._prefix = os.fspath(prefix)
        header, self._entries = read_index(f"{self._prefix}.index")
        if header.endianness != header.LITTLE:
            raise CheckpointError(
                f"{self._prefix} is big-endian, which is not supported."
            )
        self._shards = {}
        for number in sorted({e.shard_id for e in self._entries.values()}):
            name = f"data-{number:05d}-of-{header.num_shards:05d}"
            self._shards[number] = map_file(f"{self._prefix}.{name}")
        shapes = {
            key: self._check_entry(key, entry)
            for key, entry in self._entries.items()
        }
        self.object_based = _GRAPH in shapes
        self._keys = {key: key for key in shapes}
        if self.object_based:
            self._keys = self._read_graph()
        self.shapes = {name: shapes[key] for name, key in self._keys.items()}

    def read(self, name):
        """Read one array, see `OpenedCheckpoint`."""
        entry = self._entries[self._keys[name]]
        dtype = _dtype(entry)
        check_float(self._prefix, name, dtype)
        shape = self.shapes[name]
        data = self._shards[entry.shard_id]
        end = entry.offset + entry.size
        if checksum(data, entry.offset, end) != entry.crc32c:
            raise CheckpointError(
                f"{self._prefix} is damaged: wrong checksum of {name}. "
                "Download it again."
            )
        numbers = floats(data, dtype, math.prod(shape), entry.offset)
        return numbers.reshape(shape)

    def _check_entry(self, key, entry):
        """Check the location of an array and return its shape."""
        shape = tuple(dimension.size for dimension in entry.shape.dim)
        check_array(self._prefix, key, shape)
        size = math.prod(shape) * ITEM_SIZES.get(_dtype(entry), 0)
        if (
            entry.offset < 0
            or entry.size < 0
            or entry.offset + entry.size > len(self._shards[entry.shard_id])
            or entry.size != (size or entry.size)
        ):
            raise CheckpointError(
                f"{self._prefix} is damaged or truncated: the data of {key} "
                "exceed the file. Download it again."
            )
        if entry.slices:
            raise CheckpointError(
                f"{self._prefix}: {key} is partitioned, which is not supported."
            )
        return shape

    def _read_graph(self):
        """Return a dict mapping full variable names to checkpoint keys."""
        entry = self._entries[_GRAPH]
        data = self._shards[entry.shard_id]
        try:
            # Layout: length of the string (varint), its checksum, the string.
            length, begin = read_varint(data, entry.offset)
            text = data[begin : begin + _CRC_SIZE + length]
            # The checksum of length and string uses a fixed-size length.
            if masked_crc(_LENGTH.pack(length) + text) != entry.crc32c:
                raise ValueError
            graph = graph_pb2.TrackableObjectGraph.FromString(text[_CRC_SIZE:])
        except (IndexError, ValueError, struct.error, DecodeError):
            raise CheckpointError(
                f"{self._prefix} is damaged: its object graph is invalid."
            ) from None
        return self._variables(graph)

    def _variables(self, graph):
        slots = {
            slot.slot_variable_node_id
            for node in graph.nodes
            for slot in node.slot_variables
        }
        variables = {
            attribute.checkpoint_key: attribute.full_name
            for number, node in enumerate(graph.nodes)
            for attribute in node.attributes
            if attribute.name == _VALUE
            and attribute.checkpoint_key in self._entries
            and not attribute.checkpoint_key.startswith(_NO_WEIGHTS)
            and number not in slots
        }
        times = collections.Counter(variables.values())
        names = {}
        for key, name in variables.items():
            # If the name is empty or ambiguous, use the key.
            if not name or times[name] > 1:
                name = key.removesuffix(_SUFFIX)
            check_array(self._prefix, name, ())
            if name in names:
                raise CheckpointError(f"{self._prefix} contains {name} twice.")
            names[name] = key
        return names


def write_tensorflow(prefix, arrays):
    """Write a TF1 checkpoint.

    The files are `.index` and `.data-00000-of-00001` of the prefix. `arrays` is
    a list of (name, array) pairs.
    """
    tf.raw_ops.SaveV2(
        prefix=os.fspath(prefix),
        tensor_names=[name for name, _ in arrays],
        shape_and_slices=[""] * len(arrays),
        tensors=[array for _, array in arrays],
    )


def _dtype(entry):
    """Return the name of the dtype, or its number if it is unknown."""
    return _DTYPES.get(entry.dtype) or (
        DataType.Name(entry.dtype).removeprefix("DT_").lower()
        if entry.dtype in DataType.values()
        else f"number {brief(entry.dtype)}"
    )
