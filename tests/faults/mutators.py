"""Mutations of inputs that keep the structure of a format.

A mutator takes a `random.Random` and an input (bytes) and returns new bytes.
Lengths and checksums of containers are right, so that the mutations reach the
code after these checks. Inputs without the structure are mutated as bytes.
"""

import copy
import io
import json
import pickletools
import struct
import zipfile

from keras_bert.checkpoints.arrays import tensor_bundle
from keras_bert.files.tfrecord import masked_crc
from keras_bert.files.tfrecord import write_records

_BYTES = b'\0\1\2\x7f\x80\xff\n\t,"{}[]<>#-. \xe2\xf0'
_SIZES = 0, 1, 8, 127, 255, 2**31 - 1, 2**31, 2**40, 2**63, 2**64 - 1
_WORDS = """## [CLS] <s> </w> \u2581 \u0120 O B- I-A # 0 -1 1e999 nan 1_0 \u0663
../x / \xe9 e\u0301 \ufeff \u4e2d -DOCSTART- " , ; type id""".split()
_TEXTS = "", " ", "\t", "\n", "\r", "\0", "\u2028", "a" * 3000, *_WORDS
_NUMBERS = 0, 1, -1, 2, 0.5, -1.5, 1e308, 10**9, 2**31, 2**63, 10**400
_VALUES = (
    *(None, True, float("nan"), float("inf"), [], {}, [[]], [0], ["a"]),
    *({"": 0}, [None], {"a": {}}, "\ud800", *_NUMBERS, *_TEXTS),
)
_DEEP = b"[" * 100_000  # Exceeds the limit of recursion.


def mutate_bytes(random, data):
    """Overwrite, delete and repeat some bytes."""
    data = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 4, 16))):
        start, source = (random.randrange(len(data) + 1) for _ in range(2))
        end = start + random.choice((0, 1, 1, 2, 4, 8, 64))
        size = random.choice((1, 2, 4, 8))
        number = random.choice(_SIZES) % 256**size
        order = random.choice(("little", "big"))
        data[start:end] = random.choice(
            (
                *(b"", bytes([random.choice(_BYTES)]), data[start:end] * 50),
                *(number.to_bytes(size, order), random.randbytes(1)),
                data[source : source + end - start],
            )
        )
        if random.random() < 0.03:
            del data[start:]
    return bytes(data)


def mutate_text(random, data):
    """Change, remove and repeat the lines and cells of a text."""
    if random.random() < 0.15:
        return mutate_bytes(random, data)
    lines, index = data.split(b"\n"), random.randrange(data.count(b"\n") + 1)
    separator = random.choice((b"\t", b" ", b",", b"-"))
    parts = random.choice((lines, lines[index].split(separator)))
    start, source = (random.randrange(len(parts)) for _ in range(2))
    text = random.choice((random.choice(_TEXTS).encode(), parts[source]))
    end = start + random.randrange(2)
    parts[start:end] = random.choice(([], [text], [parts[start] + text]))
    if parts is not lines:
        lines[index] = separator.join(parts)
    return random.choice((b"\n", b"\n", b"\n", b"\r\n", b"\r")).join(lines)


def mutate_json(random, data):
    """Replace, remove, rename and copy the values of a JSON document."""
    choice = random.randrange(400)
    if choice == 0:
        return _DEEP
    try:
        values = json.loads(data)
    except (ValueError, RecursionError):
        choice = 1
    if choice < 10:
        return mutate_text(random, data)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        values = _edited(random, values)
    return json.dumps(values).encode()


def _edited(random, values):
    nodes = [(None, None, values)]  # Parents, keys and values.
    for _, _, value in nodes:
        if isinstance(value, dict | list):
            keys = value if isinstance(value, dict) else range(len(value))
            nodes += [(value, key, value[key]) for key in keys]
    parent, key, value = random.choice(nodes[1:] or nodes)
    other = random.choice((random.choice(_VALUES), random.choice(nodes)[2]))
    new = copy.deepcopy(random.choice((other, other, [value], {"a": value})))
    if parent is None:
        return new
    if random.random() < 0.2:
        del parent[key]
    elif random.random() < 0.2 and isinstance(parent, dict):
        parent[str(other)] = value
    else:
        parent[key] = new
    return values


def mutate_json_lines(random, data):
    """Change the JSON document on a line."""
    lines, index = data.split(b"\n"), random.randrange(data.count(b"\n") + 1)
    lines[index] = mutate_json(random, lines[index])
    return mutate_text(random, data) if index % 3 else b"\n".join(lines)


def mutate_safetensors(random, data):
    """Change the header of a file, with its right length."""
    if random.random() < 0.2 or len(data) < 8:
        return mutate_bytes(random, data)
    end = 8 + struct.unpack_from("<Q", data)[0]
    header = mutate_json(random, data[8:end])
    return struct.pack("<Q", len(header)) + header + data[end:]


def _mutate_one(random, parts, mutate):
    """Mutate, remove or repeat one of several byte strings."""
    index = random.randrange(len(parts))
    new = [mutate(random, parts[index])], [], [parts[index]] * 2
    parts[index : index + 1] = random.choices(new, (8, 1, 1))[0]


def mutate_records(random, data):
    """Change a record of a TFRecord file, with right checksums."""
    records, position = [], 0
    while position + 16 <= len(data):
        size = struct.unpack_from("<Q", data, position)[0]
        records.append(data[position + 12 : position + 12 + size])
        position += size + 16
    if not records or random.random() < 0.1:
        return mutate_bytes(random, data)
    _mutate_one(random, records, mutate_bytes)
    file = io.BytesIO()
    write_records(file, records)
    return file.getvalue()


def mutate_zip(random, data):
    """Change an entry of a zip file, with its right checksum; or a pickle."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as file:
            entries = {x.filename: file.read(x) for x in file.infolist()}
    except Exception:  # A pickle, or a damaged file.
        return mutate_pickle(random, data)
    if not entries or random.random() < 0.2:
        return mutate_bytes(random, data)
    name = random.choice([*entries])
    content = mutate_pickle(random, entries.pop(name))
    entries[random.choice((name, name, name[:-1]))] = content
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in entries.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return file.getvalue()


def mutate_pickle(random, data):
    """Remove, repeat and change opcodes of pickles, or bytes of other data."""
    bounds, file = [], io.BytesIO(data)
    try:
        while len(bounds) < len(data):
            start = file.tell()
            bounds += [x[2] for x in pickletools.genops(file)]
    except Exception:  # The end of the pickles.
        pass
    if not bounds or random.random() < 0.4:
        return mutate_bytes(random, data)
    bounds = sorted({0, *bounds, start})
    parts = [data[x:y] for x, y in zip(bounds, [*bounds[1:], len(data)])]
    _mutate_one(random, parts, mutate_bytes)
    return b"".join(parts)


def mutate_bundle(random, data):
    """Change an entry of the index of a bundle, with right checksums."""
    handle, block = tensor_bundle._read_handle, tensor_bundle._read_block
    try:
        index, _ = handle(data[-48:], handle(data[-48:], 0)[1])
        blocks = [handle(x, 0)[0] for _, x in block(data, *index)]
        entries = [entry for x in blocks for entry in block(data, *x)]
    except Exception:  # A damaged index.
        entries = []
    if not entries or random.random() < 0.1:
        return mutate_bytes(random, data)
    _mutate_one(random, entries, _mutate_entry)
    table, handle = _block(b"", entries)
    table, handle = _block(table, [(b"", handle)])
    footer = (bytes(2) + handle).ljust(40, b"\0")
    return table + footer + tensor_bundle._MAGIC_NUMBER


def _mutate_entry(random, entry):
    key, value = entry
    if random.random() < 0.2:
        return mutate_bytes(random, key), value
    return key, mutate_bytes(random, value)


def _block(table, entries):
    """Append a block; return the table and the handle of the block."""
    data = b"".join(
        bytes(1) + _varint(len(key)) + _varint(len(value)) + key + value
        for key, value in entries
    )
    data += struct.pack("<LL", 0, 1)
    handle = _varint(len(table)) + _varint(len(data))
    return table + data + struct.pack(
        "<BL", 0, masked_crc(data + b"\0")
    ), handle


def _varint(number):
    data = b""
    while number > 127:
        data, number = data + bytes([number & 127 | 128]), number >> 7
    return data + bytes([number])


_LINES = dict.fromkeys((".conll", ".csv", ".tsv", ".txt"), mutate_text)
# Mutators by the suffix of a file; others are `mutate_bytes`.
MUTATORS = _LINES | {
    ".bin": mutate_zip,
    ".index": mutate_bundle,
    ".json": mutate_json,
    ".jsonl": mutate_json_lines,
    ".npz": mutate_zip,
    ".safetensors": mutate_safetensors,
    ".tfrecord": mutate_records,
}
