"""Lazy import of public names.

If a package is not installed, the error contains the `pip install` command.
"""

import ast
import importlib
import pathlib
import sys

_REQUIREMENTS = {
    "ai_edge_litert": "keras-bert-tf[tflite]",
    "apache_beam": "keras-bert-tf[beam]",
    "fastapi": "keras-bert-tf[serve]",
    "gradio": "keras-bert-tf[playground]",
    "keras": "keras>=3.12.4,<4",
    "matplotlib": "keras-bert-tf[demo]",
    "nncf": "keras-bert-tf[openvino]",
    "onnx": "keras-bert-tf[onnx]",
    "onnxruntime": "keras-bert-tf[onnx]",
    "openvino": "keras-bert-tf[openvino]",
    "prometheus_client": "keras-bert-tf[serve]",
    "scipy": "keras-bert-tf[sparse]",
    "sentencepiece": "keras-bert-tf[vocabulary]",
    "tensorflow": "keras-bert-tf[tensorflow]",
    "tensorflow_datasets": "keras-bert-tf[tfds]",
    "tensorflow_text": "keras-bert-tf[tensorflow]",
    "tf2onnx": "keras-bert-tf[onnx]",
    "tokenizers": "tokenizers>=0.21,<0.24",
    "uvicorn": "keras-bert-tf[serve]",
}


def import_package(name, user):
    """Import an optional package, or raise an error with the pip command.

    Args:
        name: str, a package or one of its modules.
        user: str, name of the feature that needs the package, for messages.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise _with_requirement(error, user) from None


class LazyPackage:
    """Stand-in for an optional package, which is imported on first use.

    Args:
        name: str, the package.
        user: str, name of the feature that needs the package, for messages.

    Raises:
        ModuleNotFoundError: a name of the package is used, but the package is
            not installed.
    """

    def __init__(self, name, user):
        self._origin = name, user

    def __getattr__(self, name):
        return getattr(import_package(*self._origin), name)


def _with_requirement(error, user):
    """Add the pip command to an error about a missing known package."""
    requirement = _REQUIREMENTS.get(error.name)
    if requirement is None:
        return error
    return ModuleNotFoundError(
        f"{user} needs the package {error.name}, which is not installed. "
        f"Try: pip install '{requirement}'",
        name=error.name,
    )


def attach(package, path):
    """Return `__getattr__`, `__dir__` and `__all__` of a package (PEP 562).

    The public names are the imports in the stub of the package, the `.pyi`
    file that editors and type checkers read instead of its `__init__.py`.

    Args:
        package: str, `__name__` of the package.
        path: str, `__file__` of the package.

    Returns:
        Two functions and a list of str. `__getattr__` raises
        ModuleNotFoundError with the `pip install` command if a package is not
        installed.
    """
    stub = pathlib.Path(path).with_suffix(".pyi").read_text(encoding="utf-8")
    origins = {
        node.names[0].name: node.module
        for node in ast.parse(stub).body
        if isinstance(node, ast.ImportFrom)
    }

    def __getattr__(name):
        if name not in origins:
            raise AttributeError(
                f"module {package!r} has no attribute {name!r}"
            )
        try:
            module = importlib.import_module(
                f"{package}.{origins[name] or name}"
            )
            if origins[name] is None:
                return module
            return getattr(module, name)
        except ModuleNotFoundError as error:
            raise _with_requirement(error, f"{package}.{name}") from None

    def __dir__():
        inner = [x for x in vars(sys.modules[package]) if x.startswith("__")]
        return sorted({*inner, *origins})

    return __getattr__, __dir__, [*origins]
