"""Pickles of tensors, read by an interpreter that can run no code.

`pickle.load` calls whatever a file names, and so gives the machine to whoever
wrote the file. Here the file's names are only compared with a short list;
nothing is imported and nothing of the file is called. Memory stays within a
small multiple of the pickle's length.

A `pickle.Unpickler` with a list of allowed names would run no foreign code
either, but a few bytes still bring it down, and neither `find_class` nor
`persistent_load` is asked: 9 bytes name a place in its memo and take 2 GB of
memory, 300 bytes of nested tuples as the key of a dictionary are hashed for
ever, and 200 kB of them end the process.
"""

import dataclasses
import pickletools
import warnings

from keras_bert.checkpoints.arrays.raw_arrays import brief

# Storages of numbers, by what torch calls them.
_DTYPES = {
    **{"Double": "float64", "Float": "float32", "Half": "float16"},
    **{"BFloat16": "bfloat16"},
    **{"ComplexFloat": "complex64", "ComplexDouble": "complex128"},
    **{"Long": "int64", "Int": "int32", "Short": "int16", "Char": "int8"},
    **{"Byte": "uint8", "Bool": "bool"},
}
_STORAGES = {f"torch {name}Storage": x for name, x in _DTYPES.items()}
_DICTIONARY = "collections OrderedDict"
_PARAMETER = "torch._utils _rebuild_parameter"
_TENSORS = tuple(f"torch._utils _rebuild_tensor{v}" for v in ("", "_v2"))
_SIZE = "torch Size"
_NAMES = {_DICTIONARY, _PARAMETER, *_TENSORS, _SIZE, *_STORAGES}


@dataclasses.dataclass(frozen=True, eq=False)
class Name:
    """A name of the list above."""

    name: str


@dataclasses.dataclass(frozen=True)
class Storage:
    """Numbers that lie somewhere else: their dtype, key and how many."""

    dtype: str
    key: str
    count: int


@dataclasses.dataclass(frozen=True, eq=False)
class Tensor:
    """A view of a storage, all as the file says and not yet checked."""

    storage: Storage
    offset: int
    shape: tuple
    strides: tuple


_MARK = Name("mark")
_VALUES = {"NONE": None, "NEWTRUE": True, "NEWFALSE": False}
_EMPTY = {"EMPTY_DICT": dict, "EMPTY_LIST": list, "EMPTY_TUPLE": tuple}
_LITERALS = (
    *("BININT", "BININT1", "BININT2", "LONG1", "LONG4", "BINFLOAT"),
    *("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8"),
    *("BINSTRING", "SHORT_BINSTRING"),
)
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}
_IGNORED = ("PROTO", "FRAME")


def load_tensors(file, storages=None):
    """Reads one pickle, as far as it is made of tensors and plain values.

    Args:
        file: binary file, which is left behind the pickle.
        storages: dict, to which all storages are added by their keys.

    Returns:
        `Tensor`, dict, list, tuple, str, int, float, bool or None. An ordered
        dictionary is a dict.

    Raises:
        ValueError: it is damaged or holds anything else, which is named.
    """
    machine = _Machine({} if storages is None else storages)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Of odd escapes in texts.
            for opcode, argument, _ in pickletools.genops(file):
                if opcode.name == "STOP":
                    return machine.stack.pop()
                machine.run(opcode.name, argument)
    except (IndexError, KeyError, TypeError, OverflowError) as error:
        raise ValueError(f"not a whole pickle: {error!r:.100}") from None
    raise ValueError("not a whole pickle")


class _Machine:
    """A stack and a memo, as pickle's own machine has them."""

    def __init__(self, storages):
        self.stack = []
        self.memo = {}
        self.storages = storages

    def run(self, name, argument):
        stack = self.stack
        if name in _LITERALS:
            stack.append(argument)
        elif name in _VALUES:
            stack.append(_VALUES[name])
        elif name in _EMPTY:
            stack.append(_EMPTY[name]())
        elif name == "MARK":
            stack.append(_MARK)
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(self.memo[argument])
        elif name in ("BINPUT", "LONG_BINPUT"):
            self.memo[argument] = stack[-1]
        elif name == "MEMOIZE":
            self.memo[len(self.memo)] = stack[-1]
        elif name in _TUPLES:
            stack.append(tuple(self._pop(_TUPLES[name])))
        elif name == "TUPLE":
            stack.append(tuple(self._pop_to_mark()))
        elif name == "GLOBAL":
            stack.append(_known_name(argument))
        elif name == "STACK_GLOBAL":
            stack.append(_known_name(" ".join(map(str, self._pop(2)))))
        elif name in ("SETITEM", "SETITEMS"):
            self._set_items(name)
        elif name in ("APPEND", "APPENDS"):
            self._append(name)
        elif name == "BINPERSID":
            storage = _storage(stack.pop())
            if self.storages.setdefault(storage.key, storage) != storage:
                raise ValueError(
                    f"two storages of the key {brief(storage.key)}"
                )
            stack.append(storage)
        elif name == "REDUCE":
            stack.append(_rebuild(*self._pop(2)))
        elif name == "BUILD":
            self._pop(1)  # Attributes of a dictionary, such as its versions.
            _check_type(stack[-1], dict)
        elif name not in _IGNORED:
            raise ValueError(f"it holds more than tensors: {name}")

    def _pop(self, count):
        if len(self.stack) < count:
            raise IndexError("empty stack")
        values = self.stack[-count:]
        del self.stack[-count:]
        return values

    def _pop_to_mark(self):
        values = []
        while (value := self.stack.pop()) is not _MARK:
            values.append(value)
        return values[::-1]

    def _set_items(self, name):
        items = self._pop(2) if name == "SETITEM" else self._pop_to_mark()
        values = self.stack[-1]
        _check_type(values, dict)
        for key, value in zip(items[::2], items[1::2], strict=True):
            # The hash of nested tuples may take for ever.
            _check_type(key, str, int, float)
            values[key] = value

    def _append(self, name):
        items = self._pop(1) if name == "APPEND" else self._pop_to_mark()
        _check_type(self.stack[-1], list)
        self.stack[-1].extend(items)


def _known_name(name):
    if name not in _NAMES:
        raise ValueError(f"it holds more than tensors: {brief(name)}")
    return Name(name)


def _storage(identifier):
    _check_type(identifier, tuple)
    kind, storage, key, _, count, *view = identifier
    _check_type(storage, Name)
    if kind != "storage" or storage.name not in _STORAGES or any(view):
        raise ValueError(f"a storage that is not known: {storage.name}")
    _check_type(key, str)
    _check_type(count, int)
    return Storage(_STORAGES[storage.name], key, count)


def _rebuild(function, arguments):
    """Makes the value that a call in the file stands for."""
    _check_type(function, Name)
    _check_type(arguments, tuple)
    if function.name == _DICTIONARY and not arguments:
        return {}
    if function.name == _SIZE:
        _check_type(arguments[0], tuple)
        return arguments[0]
    if function.name == _PARAMETER:
        _check_type(arguments[0], Tensor)
        return arguments[0]
    if function.name in _TENSORS:
        storage, offset, shape, strides, *_ = arguments
        _check_type(storage, Storage)
        return Tensor(storage, offset, shape, strides)
    raise ValueError(f"it calls {function.name}")


def _check_type(value, *types):
    if not isinstance(value, types):
        raise ValueError(
            f"{types[0].__name__} expected, {type(value).__name__} found"
        )
