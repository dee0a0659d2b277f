"""Safe reader for pickled tensors that does not run code from the file.

`pickle.load` calls any function that a file names. This reader accepts only the
functions of a short list. A malicious file can still exhaust memory or time.
"""

import collections
import pickle
import pickletools
import typing
import warnings

from keras_bert.messages import brief

# Map torch storage class prefixes to dtypes.
_DTYPES = {
    "Double": "float64",
    "Float": "float32",
    "Half": "float16",
    "BFloat16": "bfloat16",
    "ComplexFloat": "complex64",
    "ComplexDouble": "complex128",
    "Long": "int64",
    "Int": "int32",
    "Short": "int16",
    "Char": "int8",
    "Byte": "uint8",
    "Bool": "bool",
}
_STORAGES = {f"torch.{name}Storage": x for name, x in _DTYPES.items()}


class Storage(typing.NamedTuple):
    """Reference to stored values with their dtype, key and count."""

    dtype: str
    key: str
    count: int


class Tensor(typing.NamedTuple):
    """Tensor in the pickle, as an unchecked view of a `Storage`."""

    storage: Storage
    offset: int
    shape: tuple
    strides: tuple


_FUNCTIONS = {
    "collections.OrderedDict": collections.OrderedDict,
    "torch.Size": tuple,
    "torch._utils._rebuild_parameter": lambda data, *_: data,
    "torch._utils._rebuild_tensor": Tensor,
    "torch._utils._rebuild_tensor_v2": lambda *values: Tensor(*values[:4]),
}


def load_tensors(file, storages=None):
    """Read one pickle of tensors and plain values.

    Args:
        file: binary file. Its position is moved to the end of the pickle.
        storages: dict to which all storages are added by their keys.

    Returns:
        `Tensor`, dict, list, tuple, str, int, float, bool or None.

    Raises:
        ValueError: the pickle is damaged or contains other objects.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Invalid escapes.
            _check_memo(file)
            return _Unpickler(file, {} if storages is None else storages).load()
    except _UnknownValue as error:
        raise ValueError(str(error)) from None
    except Exception as error:  # Damaged pickles raise many types of errors.
        raise ValueError(f"damaged pickle: {error!r:.100}") from None


def _check_memo(file):
    """Raise IndexError if damaged bytes would make the memo huge."""
    start = file.tell()
    for opcode, argument, position in pickletools.genops(file):
        if opcode.name == "LONG_BINPUT" and argument > position:
            raise IndexError(argument)
    file.seek(start)


class _UnknownValue(Exception):
    """Error for a pickle with objects other than tensors and plain values."""


class _Unpickler(pickle.Unpickler):
    def __init__(self, file, storages):
        super().__init__(file)
        self._storages = storages

    def find_class(self, module, name):
        name = f"{module}.{name}"
        if name in _STORAGES:
            return _STORAGES[name]
        if name not in _FUNCTIONS:
            raise _UnknownValue(
                f"it contains an object that is not a tensor: {brief(name)}"
            )
        # Return a new function each time, because a pickle can set its
        # attributes.
        return lambda *arguments: _FUNCTIONS[name](*arguments)

    def persistent_load(self, identifier):
        type_name, dtype, key, _, count, *view = identifier
        storage = Storage(dtype, key, count)
        if (
            (type_name, type(key), type(count)) != ("storage", str, int)
            or dtype not in _DTYPES.values()
            or any(view)
        ):
            raise _UnknownValue(f"unknown storage {brief(identifier)}")
        if self._storages.setdefault(key, storage) != storage:
            raise _UnknownValue(f"storage {brief(key)} has two dtypes or sizes")
        return storage
