"""Names that are loaded when they are first used."""

import importlib
import sys

_REQUIREMENTS = {
    "keras": "keras>=3.12.4,<3.16",
    "onnx": "keras-bert-tf[onnx]",
    "tensorflow": "tensorflow>=2.21,<2.22",
    "tensorflow_text": "tensorflow-text>=2.21.1,<2.22",
    "tf2onnx": "keras-bert-tf[onnx]",
}


def attach(package, modules=(), members=None):
    """Makes the `__getattr__` and `__dir__` of a package (PEP 562).

    Args:
        package: str, its `__name__`.
        modules: names of submodules.
        members: dict from the name of an object to its submodule.

    Returns:
        The two functions. `__getattr__` raises ModuleNotFoundError with the
        line to type where a package is not installed.
    """
    members = members or {}

    def load(name):
        if name in members:
            module = importlib.import_module(f"{package}.{members[name]}")
            return getattr(module, name)
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def __getattr__(name):
        try:
            return load(name)
        except ModuleNotFoundError as error:
            requirement = _REQUIREMENTS.get(error.name)
            if requirement is None:
                raise
            raise ModuleNotFoundError(
                f"{package}.{name} needs the package {error.name}, which is "
                f"not installed here. Try: pip install '{requirement}'",
                name=error.name,
            ) from None

    def __dir__():
        return sorted({*vars(sys.modules[package]), *modules, *members})

    return __getattr__, __dir__
