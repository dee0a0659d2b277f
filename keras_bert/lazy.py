"""Lazy import of public names, with helpful errors.

If a package is not installed, the error contains the `pip install` command. If
an argument is unknown, the error suggests the right one.
"""

import ast
import difflib
import functools
import importlib
import inspect
import pathlib
import sys

from keras_bert.messages import brief

_REQUIREMENTS = {
    "ai_edge_litert": "keras-bert-tf[tflite]",
    "apache_beam": "keras-bert-tf[beam]",
    "gradio": "keras-bert-tf[playground]",
    "keras": "keras>=3.12.4,<4",
    "matplotlib": "keras-bert-tf[demo]",
    "nncf": "keras-bert-tf[openvino]",
    "onnx": "keras-bert-tf[onnx]",
    "onnxruntime": "keras-bert-tf[onnx]",
    "openvino": "keras-bert-tf[openvino]",
    "sentencepiece": "keras-bert-tf[vocabulary]",
    "tensorflow": "keras-bert-tf[tensorflow]",
    "tensorflow_datasets": "keras-bert-tf[tfds]",
    "tensorflow_text": "keras-bert-tf[tensorflow]",
    "tf2onnx": "keras-bert-tf[onnx]",
    "tokenizers": "tokenizers>=0.21,<0.24",
}
# Names of the same arguments in other libraries.
_SYNONYMS = {
    "batch_size": "per_device_train_batch_size train_batch_size",
    "class_weights": "class_weight",
    "directory": (
        "checkpoint model model_name model_name_or_path name path "
        "pretrained_model_name_or_path save_directory"
    ),
    "epochs": "n_epochs nb_epoch num_epochs num_train_epochs",
    "label_smoothing": "label_smoothing_factor",
    "labels": "classes id2label label_names num_classes num_labels targets y",
    "learning_rate": "init_lr lr",
    "lowercase": "do_lower_case uncased",
    "max_new_tokens": "max_length max_tokens",
    "normalize": "normalize_embeddings",
    "patience": "early_stopping_patience",
    "prompt": "prompt_name",
    "seq_length": (
        "max_length max_len max_seq_len max_seq_length maxlen "
        "model_max_length sequence_length"
    ),
    "texts": "examples inputs sentences x",
    "validation_data": "dev_data eval_data eval_dataset valid_data",
    "warmup": "num_warmup_steps warmup_proportion warmup_ratio warmup_steps",
}
_KERAS_FIT = (
    "`fit` minimizes the loss of the task by AdamW. To train differently, "
    "compile `model`, the Keras model of the task, and call its `fit`."
)
# Advice for arguments of other libraries that have no equivalent.
_ADVICE = {
    "batch_size": (
        "Texts of similar length are batched automatically. To limit the "
        "tokens of a batch, set the attribute `batch_tokens`."
    ),
    "dropout": (
        "The dropout rates are in the config of the model: "
        "`hidden_dropout_prob` and `attention_probs_dropout_prob`."
    ),
    **dict.fromkeys(("loss", "metrics", "optimizer"), _KERAS_FIT),
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
            setattr(module, name, _explained(getattr(module, name)))
            return getattr(module, name)
        except ModuleNotFoundError as error:
            raise _with_requirement(error, f"{package}.{name}") from None

    def __dir__():
        inner = [x for x in vars(sys.modules[package]) if x.startswith("__")]
        return sorted({*inner, *origins})

    return __getattr__, __dir__, [*origins]


def _explained(value):
    """Add helpful errors for unknown arguments to a function or class.

    A function is wrapped. The constructor and the public methods of a class are
    replaced in the class and in its bases in this library.
    """
    if inspect.isfunction(value):
        # Keras saves functions of `layers` by identity, so they stay unwrapped.
        is_of_layers = value.__module__.startswith("keras_bert.layers.")
        return value if is_of_layers else _checked(value)
    bases = getattr(value, "__mro__", ())
    # Keras checks the arguments of its own classes.
    if not any(base.__module__.startswith("keras.") for base in bases):
        for base in bases:
            if base.__module__.startswith("keras_bert"):
                _explain_in_class(base)
    return value


def _explain_in_class(owner):
    for name, member in [*vars(owner).items()]:
        function = getattr(member, "__func__", member)
        is_public = name == "__init__" or not name.startswith("_")
        if is_public and inspect.isfunction(function):
            checked = _checked(function)
            is_bound = isinstance(member, classmethod | staticmethod)
            setattr(owner, name, type(member)(checked) if is_bound else checked)


def _checked(function):
    """Wrap a function to check argument names, unless it takes `**kwargs`."""
    names = inspect.signature(function).parameters
    kinds = [x.kind for x in names.values()]
    if inspect.Parameter.VAR_KEYWORD in kinds or hasattr(function, "_checked"):
        return function

    @functools.wraps(function)
    def checked(*args, **given):
        for name, value in given.items():
            if name not in names:
                title, known = _title(function, args, names), [*names]
                raise TypeError(unknown_argument(title, name, value, known))
        return function(*args, **given)

    checked._checked = True
    return checked


def _title(function, args, names):
    if not {"self", "cls"} & {*names}:
        return function.__name__
    kind = args[0] if isinstance(args[0], type) else type(args[0])
    return f"{kind.__name__}.{function.__name__}".removesuffix(".__init__")


def near_names(name, known):
    """Return the known names that an unknown name may stand for."""
    near = [x for x in known if name in _SYNONYMS.get(x, "").split()]
    return near or difflib.get_close_matches(name, known)


def unknown_argument(title, name, value, known):
    """Return the error message for an unknown argument.

    Args:
        title: str, name of the function or class.
        name: str, the argument.
        value: value of the argument.
        known: list of str, the known arguments.
    """
    known = [x for x in known if x not in ("self", "cls")]
    near = near_names(name, known)
    advice = f"Its arguments are {', '.join(known)}."
    if near:
        advice = f"Did you mean {' or '.join(f'`{x}`' for x in near)}?"
    elif name in _ADVICE:
        advice = _ADVICE[name]
    return (
        f"`{title}` has no argument `{name}`. {advice} "
        f"Received: {name}={brief(value)}."
    )
