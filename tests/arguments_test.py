"""What signatures, docstrings and messages say of arguments."""

import dataclasses
import importlib
import inspect

import pytest

import keras_bert
from keras_bert import arguments
from keras_bert import tasks
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.task import Task

_PACKAGES = (
    *("", ".checkpoints", ".data", ".export", ".layers", ".models"),
    *(".tasks", ".text", ".training"),
)
_HEAD_RECIPE = {"epochs": 10, "learning_rate": 1e-3}
# The arguments of the task that the model was trained for.
_ANY_TASK = {"load_any_task"}


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
    """Names and values of functions, classes and their methods, once each."""
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
    assert {*found} == own | {*arguments.parameters(task)} - {
        "pretrained",
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
        name
        for name, value in _public_callables()
        if ":meta private:" not in (inspect.getdoc(value) or "")
        for x in arguments.parameters(value).values()
        if x.kind == x.VAR_KEYWORD
    }
    assert hiding == _ANY_TASK


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: keras_bert.TextClassifier.from_pretrained(
                "x", max_length=6
            ),
            "`TextClassifier.from_pretrained` .* `max_length`. Did you mean "
            "`seq_length`[?] Received: max_length=6",
        ),
        (
            lambda: keras_bert.TextClassifier(None, num_labels=2),
            "`TextClassifier` has no argument `num_labels`. .* `labels`[?]",
        ),
        (
            lambda: tasks.FeatureTokenClassifier.from_pretrained("x", lstm=2),
            "Did you mean `lstm_size`[?]",
        ),
        (
            lambda: keras_bert.TextRegressor.from_pretrained("x", dropout=0.2),
            "`hidden_dropout_prob`",
        ),
        (
            lambda: keras_bert.TextClassifier.fit(None, [], lr=1e-3),
            "`fit` has no .*Did you mean `learning_rate`[?]",
        ),
        (
            lambda: keras_bert.QuestionAnswerer.fit(None, [], nb_epoch=1),
            "Did you mean `epochs`[?]",
        ),
        (
            lambda: keras_bert.TextEmbedder.fit(None, [], optimizer="adam"),
            "compile `model`",
        ),
        (
            lambda: keras_bert.TextEmbedder.embed(None, [], batch_size=3),
            "`batch_tokens`",
        ),
        (
            lambda: keras_bert.Ensemble.from_pretrained([], do_lower_case=True),
            "Did you mean `lowercase`[?]",
        ),
        (
            lambda: tasks.load_task("x", pooler=2),
            "Its arguments are directory, allow_missing, lowercase",
        ),
        (
            lambda: keras_bert.BertConfig(hidden_sise=3),
            "`BertConfig` .*Did you mean `hidden_size`",
        ),
        (
            lambda: keras_bert.data.read_table("x", txt={}),
            "`read_table` has no argument `txt`. Did you mean `texts`[?]",
        ),
        (
            lambda: keras_bert.text.BertTokenizer("x", uncased=True),
            "`BertTokenizer` .*Did you mean `lowercase`[?]",
        ),
    ],
)
def test_an_unknown_argument_is_explained(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("task", _tasks())
def test_a_directory_is_sent_to_from_pretrained(task):
    message = f"call `{task.__name__}.from_pretrained`. Received: .*'dir'"
    with pytest.raises(ValueError, match=message):
        task("dir")
