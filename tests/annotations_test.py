"""Public functions, methods and constructors have annotations."""

import importlib
import inspect
import pathlib
import types

import keras_bert

_ROOT = pathlib.Path(keras_bert.__file__).parent


def _public_objects():
    for stub in sorted(_ROOT.rglob("*.pyi")):
        parts = stub.parent.relative_to(_ROOT.parent).parts
        package = importlib.import_module(".".join(parts))
        yield from (getattr(package, name) for name in package.__all__)


def _callables(value):
    """Return a function, or the public methods and properties of a class."""
    if isinstance(value, types.FunctionType):
        return [value]
    members = inspect.getmembers(value) if isinstance(value, type) else []
    named = [x for name, x in members if _is_public(name)]
    functions = [getattr(x, "fget", getattr(x, "func", x)) for x in named]
    functions = [getattr(x, "__func__", x) for x in functions]
    return [inspect.unwrap(x) for x in functions if inspect.isfunction(x)]


def _is_public(name):
    return name in ("__init__", "__call__") or not name.startswith("_")


def _lacks_annotations(function):
    signature = inspect.signature(function)
    owner = ("self", "cls")
    given = [x for x in signature.parameters.values() if x.name not in owner]
    annotations = [x.annotation for x in given]
    if function.__name__ != "__init__":
        annotations.append(signature.return_annotation)
    return inspect.Signature.empty in annotations


def test_public_functions_and_methods_have_annotations():
    functions = {
        f"{function.__module__}.{function.__qualname__}": function
        for value in _public_objects()
        for function in _callables(value)
        if function.__module__.startswith("keras_bert.")
    }
    assert len(functions) > 300
    lacking = [*filter(lambda x: _lacks_annotations(functions[x]), functions)]
    assert lacking == []
