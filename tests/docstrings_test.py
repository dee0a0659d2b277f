"""The examples in the docstrings of these modules run unchanged."""

import doctest
import importlib
import pathlib
import pkgutil

import keras
import pytest

import keras_bert

_ROOT = pathlib.Path(__file__).parents[1]


def module_names():
    for package in (keras_bert.layers, keras_bert.models):
        for module in pkgutil.walk_packages(
            package.__path__, f"{package.__name__}."
        ):
            yield module.name


def find_examples(name):
    module = importlib.import_module(name)
    finder = doctest.DocTestFinder(exclude_empty=True)
    names = {"keras": keras, "keras_bert": keras_bert}
    return [
        example
        for example in finder.find(module, extraglobs=names)
        if example.examples
    ]


_EXAMPLES = {
    example.name: example
    for name in module_names()
    for example in find_examples(name)
}


@pytest.mark.parametrize("name", _EXAMPLES)
def test_example_runs(name, monkeypatch, run_example):
    monkeypatch.chdir(_ROOT)
    run_example(_EXAMPLES[name])
