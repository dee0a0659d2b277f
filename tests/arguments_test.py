"""Arguments have annotations and texts, and agree in all signatures."""

import importlib
import inspect
import pathlib
import re

import pytest

import keras_bert
from keras_bert import arguments
from keras_bert import tasks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.tasks.task import Task
from tests import tiny

_ROOT = pathlib.Path(keras_bert.__file__).parent
_SECTION = re.compile(r"^Args:\n(?:(?: {4}.*)?\n)*", re.MULTILINE)


def _tasks():
    found = [getattr(tasks, name) for name in tasks.__all__]
    return [x for x in found if inspect.isclass(x) and issubclass(x, Task)]


def _public_objects(pattern="**/*.pyi"):
    """Iterate over the names and values of stubs."""
    for stub in sorted(_ROOT.glob(pattern)):
        parts = stub.parent.relative_to(_ROOT.parent).parts
        package = importlib.import_module(".".join(parts))
        for name in package.__all__:
            yield name, getattr(package, name)


def _is_of_keras(value):
    bases = getattr(value, "__mro__", ())
    return any(x.__module__.startswith("keras.") for x in bases)


def _methods(value):
    """Return the public methods and properties of a class in this library."""
    for name, member in inspect.getmembers(value):
        member = getattr(member, "fget", getattr(member, "func", member))
        member = inspect.unwrap(getattr(member, "__func__", member))
        is_public = name in ("__init__", "__call__") or name[0] != "_"
        if is_public and inspect.isfunction(member):
            is_method = member.__qualname__.endswith(name)
            if is_method and member.__module__.startswith("keras_bert."):
                yield f"{value.__name__}.{name}", member


def _functions():
    """Return all public functions and methods by name."""
    found = {}
    for name, value in _public_objects():
        if inspect.isfunction(value):
            found[name] = inspect.unwrap(value)
        elif inspect.isclass(value):
            found.update(_methods(value))
    return found


def test_public_functions_and_methods_have_annotations():
    lacking = []
    for name, function in _functions().items():
        signature = inspect.signature(function)
        given = {**signature.parameters}
        owner = {"self", "cls"} & {*given}
        found = [x.annotation for x in given.values() if x.name not in owner]
        if not name.endswith(".__init__"):
            found.append(signature.return_annotation)
        if inspect.Signature.empty in found:
            lacking.append(name)
    assert len(_functions()) > 300
    assert lacking == []


def _documented(value):
    """Return the names in the section `Args:` of a docstring."""
    section = _SECTION.search(f"{inspect.getdoc(value) or ''}\n")
    entries = re.split(r"^ {4}(?=\S)", section[0] if section else "", 0, re.M)
    names = ",".join(entry.partition(":")[0] for entry in entries[1:])
    return {name.strip(" \n*`") for name in names.split(",")}


def _undocumented(value):
    known = _documented(value)
    given = {*arguments.parameters(value)} - {"self", "cls"}
    is_private = ":meta private:" in (inspect.getdoc(value) or "")
    return set() if is_private else given - known


def test_every_public_parameter_is_documented():
    lacking = {}
    for name, value in [*_public_objects("*.pyi"), *_public_objects("*/*.pyi")]:
        if inspect.isclass(value) and not _is_of_keras(value):
            lacking[name] = _undocumented(value)
            for key, _ in _methods(value):
                method = getattr(value, key.rpartition(".")[2])
                is_internal = key.endswith(("__", ".from_config"))
                if not is_internal and inspect.isroutine(method):
                    lacking[key] = _undocumented(method)
        elif inspect.isfunction(value):
            lacking[name] = _undocumented(value)
    assert {name: found for name, found in lacking.items() if found} == {}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TextClassifier(model, num_labels=2)", "Did you mean `labels`[?]"),
        ("tasks.FeatureTokenClassifier.from_pretrained('', lstm=2)", "lstm_si"),
        ("TextRegressor.from_pretrained('', dropout=0.2)", "`hidden_dropout_p"),
        ("QuestionAnswerer(model).fit([], nb_epoch=1)", "mean `epochs`[?]"),
        ("TextEmbedder(model).fit([], optimizer='adam')", "compile `model`"),
        ("TextRegressor(model).fit([], pooler=1)", "arguments are texts, lab"),
        ("PairRanker(model).fit([], validation_dat=1)", "`validation_data`"),
        ("tasks.fit_denoising(None, [], lr=1)", "mean `learning_rate`[?]"),
    ],
)
def test_an_unknown_argument_is_explained(call, message, make_settings):
    config = tiny.config("bert", V=40)
    model = PretrainedModel.from_config(config, make_settings("wordpiece"))
    name = call.rpartition("(")[0].rpartition(".")[2]
    expected = f"{name.partition('(')[0]}` has no argument .*{message}"
    with pytest.raises(TypeError, match=expected):
        eval(f"keras_bert.{call}", {"keras_bert": keras_bert, "model": model})


@pytest.mark.parametrize("task", _tasks())
def test_a_directory_is_sent_to_from_pretrained(task):
    message = f"call `{task.__name__}.from_pretrained`. Received: .*'dir'"
    with pytest.raises(ValueError, match=message):
        task("dir")
