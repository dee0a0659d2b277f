"""Arguments agree in signatures, docstrings and messages."""

import dataclasses
import importlib
import inspect
import re

import pytest

import keras_bert
from keras_bert import arguments
from keras_bert import tasks
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.task import Task

_PACKAGES = (
    *("", ".checkpoints", ".export", ".layers", ".losses", ".models"),
    *(".optimizers", ".pretraining", ".tasks", ".text"),
)
_HEAD_RECIPE = {"epochs": 10, "learning_rate": 1e-3}
# Internal methods of tasks have an underscore.
_METHODS = {
    *("answers distill_static embed embed_document embed_query").split(),
    *("evaluate export_onnx export_saved_model export_tflite").split(),
    *("fit from_pretrained").split(),
    *("generate labels_of layers predict predict_ids predict_texts").split(),
    *("predict_words probabilities probabilities_at rank save").split(),
    *("smaller tune_null_threshold").split(),
}
# Functions with arguments that depend on a model or on the caller.
_FREE_NAMES = {"load_any_task", "pack", "rows"}


def _tasks():
    found = [getattr(tasks, name) for name in tasks.__all__]
    return [x for x in found if inspect.isclass(x) and issubclass(x, Task)]


def _public_objects():
    for name in _PACKAGES:
        package = importlib.import_module(f"keras_bert{name}")
        for member in package.__all__:
            value = getattr(package, member)
            bases = getattr(value, "__mro__", ())
            if not any(x.__module__.startswith("keras.") for x in bases):
                yield member, value


def _public_callables():
    """Return names and values of functions, classes and methods, once each."""
    for name, value in _public_objects():
        if inspect.isclass(value):
            yield name, value
            for key, method in inspect.getmembers(value, inspect.isroutine):
                module = getattr(method, "__module__", None) or ""
                is_ours = module.startswith("keras_bert")
                is_method = getattr(method, "__qualname__", "").endswith(key)
                is_public = key[0] != "_" and key != "from_config"
                if is_ours and is_method and is_public:
                    yield f"{name}.{key}", method
        elif inspect.isfunction(value):
            yield name, value


def _undocumented(value):
    known = {x.strip("*`") for x in arguments.entries(value)}
    return [x for x in arguments.parameters(value) if x not in known]


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


def test_tasks_offer_no_internal_methods():
    found = {
        name
        for task in _tasks()
        for name, _ in inspect.getmembers(task, inspect.isroutine)
        if not name.startswith("_")
    }
    assert found == _METHODS


@pytest.mark.parametrize("task", _tasks())
def test_signatures_show_plain_defaults(task):
    shown = str(inspect.signature(getattr(task, "fit", task.from_pretrained)))
    assert not re.search("Annotated|Check|Arguments|field[(]", shown)


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


def test_every_public_parameter_is_documented():
    lacking = {}
    for name, value in _public_callables():
        doc = inspect.getdoc(value) or ""
        names = _undocumented(value)
        is_method = "." in name
        names = [x for x in names if not (is_method and x in ("self", "cls"))]
        if names and ":meta private:" not in doc:
            lacking[name] = names
    assert lacking == {}


def test_no_public_function_hides_names():
    hiding = {
        name.rpartition(".")[2]
        for name, value in _public_callables()
        if ":meta private:" not in (inspect.getdoc(value) or "")
        for x in arguments.parameters(value).values()
        if x.kind == x.VAR_KEYWORD
    }
    assert hiding == _FREE_NAMES


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TextRegressor.from_pretrained('', max_length=6)", "`seq_length`[?]"),
        ("TextClassifier(None, num_labels=2)", "Did you mean `labels`[?]"),
        ("tasks.FeatureTokenClassifier.from_pretrained('', lstm=2)", "lstm_si"),
        ("TextRegressor.from_pretrained('', dropout=0.2)", "`hidden_dropout_p"),
        ("TextClassifier.fit(None, [], lr=1e-3)", "`learning_rate`[?]"),
        ("QuestionAnswerer.fit(None, [], nb_epoch=1)", "mean `epochs`[?]"),
        ("TextEmbedder.fit(None, [], optimizer='adam')", "compile `model`"),
        ("TextEmbedder.embed(None, [], batch_size=3)", "`batch_tokens`"),
        ("Ensemble.from_pretrained([], uncased=True)", "mean `lowercase`[?]"),
        ("tasks.load_task('', pooler=2)", "Its arguments are directory, allow"),
        ("BertConfig(hidden_sise=3)", "Did you mean `hidden_size`"),
        ("tasks.read_table('', txt={})", "Did you mean `texts`[?]"),
        ("text.BertTokenizer('', uncased=True)", "Did you mean `lowercase`[?]"),
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
