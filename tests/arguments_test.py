"""Arguments have annotations and texts, and agree in all signatures."""

import dataclasses
import importlib
import inspect
import pathlib

import pytest

import keras_bert
from keras_bert import arguments
from keras_bert import tasks
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.task import Task

_ROOT = pathlib.Path(keras_bert.__file__).parent
_HEAD_RECIPE = {"epochs": 10, "learning_rate": 1e-3}


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


def _undocumented(value):
    known = {x.strip("*`") for x in arguments.entries(value)}
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


@pytest.mark.parametrize("task", [x for x in _tasks() if hasattr(x, "fit")])
def test_fit_names_the_fields_of_a_recipe_with_their_defaults(task):
    expected = dataclasses.asdict(Recipe())
    if task.__name__.startswith("Feature"):
        expected |= _HEAD_RECIPE
    if task.__name__ == "FewShotClassifier":
        expected |= {"epochs": 1, "batch_size": 16, "learning_rate": 2e-5}
    found = {
        name: parameter.default
        for name, parameter in arguments.parameters(task.fit).items()
        if parameter.kind == parameter.KEYWORD_ONLY
    }
    assert found == expected


@pytest.mark.parametrize("task", _tasks())
def test_from_pretrained_names_the_arguments_of_the_class(task):
    found = arguments.parameters(task.from_pretrained)
    own = {"directory", "lowercase", "special_tokens_in_text", "strict"}
    own |= {"route"} if task is tasks.TextEmbedder else set()
    assert {*found} == own | {*arguments.parameters(task)} - {
        "pretrained",
        "embedder",
        "head_file",
    }


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TextClassifier(None, num_labels=2)", "Did you mean `labels`[?]"),
        ("tasks.FeatureTokenClassifier.from_pretrained('', lstm=2)", "lstm_si"),
        ("TextRegressor.from_pretrained('', dropout=0.2)", "`hidden_dropout_p"),
        ("QuestionAnswerer.fit(None, [], nb_epoch=1)", "mean `epochs`[?]"),
        ("TextEmbedder.fit(None, [], optimizer='adam')", "compile `model`"),
        ("TextEmbedder.embed(None, [], batch_size=3)", "`batch_tokens`"),
        ("Ensemble.from_pretrained([], uncased=True)", "mean `lowercase`[?]"),
        ("tasks.load_task('', pooler=2)", "Its arguments are directory, allow"),
        ("BertConfig(hidden_sise=3)", "Did you mean `hidden_size`"),
        ("tasks.read_table('', txt={})", "Did you mean `texts`[?]"),
    ],
)
def test_an_unknown_argument_is_explained(call, message):
    name = call.partition("(")[0].rpartition(".")[2]
    expected = f"{name}` has no argument .*{message}"
    with pytest.raises(TypeError, match=expected):
        eval(f"keras_bert.{call}", {"keras_bert": keras_bert})


@pytest.mark.parametrize("task", _tasks())
def test_a_directory_is_sent_to_from_pretrained(task):
    message = f"call `{task.__name__}.from_pretrained`. Received: .*'dir'"
    with pytest.raises(ValueError, match=message):
        task("dir")
