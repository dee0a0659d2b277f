"""Registration of this library's classes with Keras for loading models.

Keras finds the classes of a saved model in its table of custom objects. To
avoid importing Keras or TensorFlow early, `import keras_bert` adds lazy
stand-ins to this table as soon as Keras is imported. A stand-in imports its
class when a model needs it.
"""

import functools
import importlib
import importlib.abc
import importlib.machinery
import pathlib
import re
import sys

_PACKAGE = "keras_bert"
# Registered classes and functions are in these folders, with this decorator.
_FOLDERS = ("layers", "losses", "optimizers", "tasks")
_REGISTERED = re.compile(
    r'^@keras\.saving\.register_keras_serializable\("keras_bert"\)\n'
    r"(class|def) (\w+)",
    re.MULTILINE,
)


@functools.cache
def registered():
    """Return the modules of all registered classes and functions.

    Returns:
        Two dicts mapping object names to module names, for classes and
        functions.
    """
    root = pathlib.Path(__file__).parent
    found = {"class": {}, "def": {}}
    for folder in _FOLDERS:
        for path in sorted(root.joinpath(folder).rglob("*.py")):
            parts = path.relative_to(root.parent).with_suffix("").parts
            for kind, name in _REGISTERED.findall(path.read_text("utf-8")):
                found[kind][name] = ".".join(parts)
    return found["class"], found["def"]


def register_with_keras():
    """Register the classes, now or as soon as Keras is imported."""
    if sys.modules.get("keras") is not None:
        _add_stand_ins(sys.modules["keras"])
    else:
        sys.meta_path.insert(0, _KerasImportHook())


class _StandIn:
    """Lazy stand-in for a class that is imported when Keras needs it."""

    def __init__(self, module, name):
        self._module = module
        self._name = name

    def from_config(self, config):
        module = importlib.import_module(self._module)
        return getattr(module, self._name).from_config(config)


class _KerasImportHook(importlib.abc.MetaPathFinder):
    """Import hook that registers the classes after Keras is imported."""

    def find_spec(self, name, path=None, target=None):
        if name != "keras":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _registering(spec.loader.exec_module)
        return spec


def _registering(exec_module):
    def run(module):
        exec_module(module)
        _add_stand_ins(module)

    return run


def _add_stand_ins(keras):
    known = keras.saving.get_custom_objects()
    classes, functions = registered()
    for name, module in classes.items():
        known.setdefault(f"{_PACKAGE}>{name}", _StandIn(module, name))
    # Keras returns functions as they are, so they have no stand-ins.
    for module in sorted({*functions.values()}):
        importlib.import_module(module)
