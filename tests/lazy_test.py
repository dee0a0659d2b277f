"""Public names for editors and for Python."""

import configparser
import importlib
import pathlib
import re
import sys

import pytest

import keras_bert
from keras_bert import lazy
from keras_bert import registration

_ROOT = pathlib.Path(keras_bert.__file__).parent
_STUBS = sorted(_ROOT.rglob("*.pyi"))
_PACKAGES = [
    ".".join(path.parent.relative_to(_ROOT.parent).parts) for path in _STUBS
]


def test_every_lazy_package_has_a_stub():
    packages = {
        path.with_suffix(".pyi")
        for path in _ROOT.rglob("__init__.py")
        if "lazy.attach" in path.read_text(encoding="utf-8")
    }
    assert {*_STUBS} == packages


@pytest.mark.parametrize("name", _PACKAGES)
def test_every_name_of_a_stub_can_be_loaded(name):
    package = importlib.import_module(name)
    for member in package.__all__:
        assert getattr(package, member) is not None
    shown = {x for x in dir(package) if not x.startswith("__")}
    assert shown == {*package.__all__}


def test_the_stub_of_layers_has_all_that_keras_can_read():
    prefix = "keras_bert.layers."
    classes = registration.registered().items()
    expected = {name for name, module in classes if module.startswith(prefix)}
    functions = {"causal", "gelu_erf", "gelu_tanh"}
    assert {*keras_bert.layers.__all__} == expected | functions


@pytest.mark.parametrize("name", lazy._REQUIREMENTS)
def test_a_missing_package_is_named_with_what_installs_it(name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ModuleNotFoundError) as caught:
        lazy.import_package(name, "A plot")
    assert f"A plot needs the package {name}, which" in str(caught.value)
    (requirement,) = re.findall("pip install '(.*)'", str(caught.value))
    setup = configparser.ConfigParser()
    setup.read(_ROOT.parent / "setup.cfg")
    listed, wanted = setup["options"]["install_requires"], f"\n{requirement}"
    if extra := re.search(r"\[(\w+)\]", requirement):
        listed = setup["options.extras_require"][extra[1]]
        wanted = f"\n{name.replace('_', '-')}>="
    assert wanted in listed


def test_other_missing_packages_keep_their_error():
    with pytest.raises(ModuleNotFoundError, match="^No module named 'no_one'$"):
        lazy.import_package("no_one", "A plot")
