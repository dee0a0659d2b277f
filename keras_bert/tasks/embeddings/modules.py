"""Modules of sentence-transformers directories.

In that format, `modules.json` lists the folders of the modules. A Router (Asym
in older releases) has a list of modules for each route, such as "query" and
"document".
"""

import functools
import json
import re

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.arrays.torch_file import TorchFile
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.errors import checkpoint_errors
from keras_bert.config import check_supported
from keras_bert.config import read_json_object
from keras_bert.files.atomic import write_json
from keras_bert.messages import brief
from keras_bert.tasks.embeddings.prompts import Prompts

MODULES = "modules.json"
SETTINGS = "config_sentence_transformers.json"
PACKAGE = "sentence_transformers"
_TYPE = re.compile(r"(sentence_transformers|pylate)\.(\w+\.)*(?=\w+$)")
_ROUTERS = "Router", "Asym"
_TRANSFORMER_KEYS = "max_seq_length", "do_lower_case", "unpad_inputs"
_MODEL_KEYS = (
    "__version__",
    "model_type",
    "prompts",
    "default_prompt_name",
    "truncate_dim",
    "max_active_dims",
    "similarity_fn_name",
)


def read_routes(directory):
    """Return the modules of each route.

    Args:
        directory: `pathlib.Path` of a sentence-transformers directory.

    Returns:
        A dict mapping the names of the routes, or None without a Router, to
        lists of (folder, class name) pairs.

    Raises:
        CheckpointError: a file cannot be used.
    """
    path = directory / MODULES
    try:
        modules = [
            (path.parent / module["path"], _class_name(str(module["type"])))
            for module in json.loads(path.read_text("utf-8-sig"))
        ]
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise CheckpointError(
            f"{path} must list modules with their type and path: {error!r}."
        ) from None
    for index, (folder, class_name) in enumerate(modules):
        if class_name in _ROUTERS:
            before, after = modules[:index], modules[index + 1 :]
            return {
                route: [*before, *inner, *after]
                for route, inner in _read_router(folder).items()
            }
    return {None: modules}


def modules_of_route(directory, route, order, wanted):
    """Return the folders and the class names of the modules of one route.

    Args:
        directory: see `read_routes`.
        route: str, or None if there is only one.
        order: `re.Pattern` of the class names, joined by spaces.
        wanted: str, description of `order` for error messages.

    Raises:
        CheckpointError: there is no such route, or it has other modules.
    """
    routes = read_routes(directory)
    if None in routes:
        check_no_route(directory, route)
    if route is None and len(routes) == 1:
        (route,) = routes
    if route not in routes:
        raise CheckpointError(
            f"{directory / MODULES} has different modules for its routes. Load "
            "each with `from_pretrained(directory, route=...)`. `route` must "
            f"be one of {', '.join(routes)}. Received: route={brief(route)}."
        )
    class_names = [class_name for _, class_name in routes[route]]
    if not order.fullmatch(" ".join(class_names)):
        raise CheckpointError(
            f"{directory / MODULES} must list {wanted}, or a Router of these, "
            f"all of {PACKAGE}. Received: {', '.join(class_names) or '[]'}."
        )
    return [folder for folder, _ in routes[route]], class_names


def check_no_route(directory, route):
    """Raise CheckpointError if `route` is set; the directory has no Router."""
    if route is not None:
        raise CheckpointError(
            f"{directory} must contain a Router of {PACKAGE} to load a route. "
            f"Received: route={route!r}."
        )


def _class_name(type):
    """Return the class name of a module, or another type unchanged."""
    return _TYPE.sub("", type)


def _read_router(folder):
    """Return the folders and the class names of the modules of each route."""
    paths = folder / "router_config.json", folder / "config.json"
    path = next((path for path in paths if path.is_file()), paths[0])
    values = read_json(path)
    try:
        types, structure = dict(values["types"]), dict(values["structure"])
        if not structure:
            raise ValueError("no route")
        return {
            str(route): [
                (folder / str(name), _class_name(str(types[str(name)])))
                for name in names
            ]
            for route, names in structure.items()
        }
    except (KeyError, TypeError, ValueError) as error:
        named = path if "types" in values else paths[0]
        raise CheckpointError(
            f"{named} must list the modules of each route: {error!r}."
        ) from None


def read_settings(directory, folder, pretrained, transformer, more=()):
    """Read the settings of a model and of its Transformer module.

    Args:
        directory: `pathlib.Path` of the model.
        folder: `pathlib.Path` of the first module.
        pretrained: `PretrainedModel` of the first module.
        transformer: dict of the supported values of the module's settings.
        more: collection of names of other settings, of the model or of the
            module, to return.

    Returns:
        The model, with a lower-casing tokenizer if the settings say so, and a
        dict with the prompts, `seq_length`, `truncate_dim`, `max_active_dims`
        and `similarity`, which are None if they are missing, and the others.
    """
    own = sorted(folder.glob("sentence_*_config.json"))[:1]
    known = [*_TRANSFORMER_KEYS, *more]
    module = read_json(own[0], transformer, known) if own else {}
    limits = read_if_any(folder / "tokenizer_config.json")
    length = module.get("max_seq_length") or limits.get("model_max_length")
    limit = pretrained.config.max_seq_length
    length = limit if length is None else length
    if not isinstance(length, int | float) or not length >= 1:
        raise CheckpointError(
            f"{folder}: the maximum length must be a number of tokens, at "
            f"least 1. Received: {brief(length)}."
        )
    values = read_if_any(directory / SETTINGS, {}, [*_MODEL_KEYS, *more])
    prompts = {
        "prompts": values.get("prompts") or {},
        "default_prompt_name": values.get("default_prompt_name"),
    }
    with checkpoint_errors(directory / SETTINGS):
        Prompts(**prompts)
    if module.get("do_lower_case"):
        with checkpoint_errors(directory):
            tokenizer = pretrained.tokenizer_settings.lowercased()
        pretrained = pretrained.with_tokenizer(tokenizer)
    return pretrained, {
        "seq_length": int(min(length, limit)),
        "truncate_dim": values.get("truncate_dim"),
        "max_active_dims": values.get("max_active_dims"),
        "similarity": values.get("similarity_fn_name"),
        **prompts,
        **{x: y for x, y in {**values, **module}.items() if x in more},
    }


def module_files(modules, **settings):
    """Return functions that write the files that list and describe modules.

    Args:
        modules: list of (folder, class, settings) tuples. `class` is a full
            name, or a name below `sentence_transformers`, such as
            "models.Pooling"; `settings` are the values of its `config.json`,
            or None.
        **settings: values of `config_sentence_transformers.json`.

    Returns:
        A dict mapping file names to functions that take a path.
    """
    values = {
        f"{folder}/config.json": config
        for folder, _, config in modules
        if config is not None
    }
    values[SETTINGS] = settings
    values[MODULES] = [
        {
            "idx": index,
            "name": str(index),
            "path": folder,
            "type": name if _TYPE.match(name) else f"{PACKAGE}.{name}",
        }
        for index, (folder, name, _) in enumerate(modules)
    ]
    return {
        name: functools.partial(write_json, values=content)
        for name, content in values.items()
    }


def open_arrays(folder):
    path = folder / "model.safetensors"
    if path.is_file():
        return SafetensorsFile(path)
    return TorchFile(folder / "pytorch_model.bin")


def read_if_any(path, *checked):
    return read_json(path, *checked) if path.is_file() else {}


def read_json(path, *checked):
    """Read a JSON file and check its settings with `check_supported`."""
    with checkpoint_errors(path):
        values = read_json_object(path)
        if checked:
            check_supported(values, *checked)
    return values
