"""Steps that the directories of all embedders share."""

from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import TASK
from keras_bert.checkpoints.layout import local_directory
from keras_bert.checkpoints.task_record import TaskRecord
from keras_bert.checkpoints.task_record import read_task
from keras_bert.config import published_classes
from keras_bert.messages import brief
from keras_bert.messages import errors_name
from keras_bert.tasks.embeddings.modules import MODULES
from keras_bert.tasks.embeddings.modules import SETTINGS
from keras_bert.tasks.embeddings.modules import check_no_route
from keras_bert.tasks.embeddings.modules import read_if_any
from keras_bert.tasks.embeddings.modules import read_routes

COLBERT = "HF_ColBERT"  # Class in the `config.json` of Stanford's ColBERT.


def load_directory(
    directory, task_name, read_modules, read_own, route=None, **arguments
):
    """Load an encoder and the settings of its embedder.

    Args:
        directory: str, as for `keras_bert.from_pretrained`, or a directory of
            sentence-transformers.
        task_name: str, name of the class of the embedder.
        read_modules: function of the directory, `route` and `arguments` that
            reads a directory of sentence-transformers.
        read_own: function of the directory, the settings in `task.json` and the
            encoder that returns the arguments of the class.
        route: str, route of a Router to load; None if there is only one.
        **arguments: other arguments of `keras_bert.from_pretrained`.

    Returns:
        A `PretrainedModel` and a dict of arguments of the class, empty if the
        directory has none.

    Raises:
        CheckpointError: a file cannot be used.
    """
    directory = local_directory(directory)
    if (directory / MODULES).is_file():
        return read_modules(directory, route, arguments)
    check_no_route(directory, route)
    pretrained = from_pretrained(directory, **arguments)
    task = pretrained.task
    if task is None or task.task != task_name:
        return pretrained, {}
    with errors_name(directory):
        try:
            return pretrained, read_own(directory, task.settings, pretrained)
        except KeyError as error:
            raise CheckpointError(
                f"{directory / TASK}: the settings of a {task_name} must "
                f"contain the key {error}."
            ) from None


def save_directory(embedder, directory, format, overwrite, settings, files):
    """Write an embedder.

    Args:
        embedder, directory, format, overwrite: see `Embedder.save`.
        settings: dict, the settings for `task.json`.
        files: dict of additional files of the format of this library, see
            `save_pretrained`.
    """
    if format == "hf":
        pretrained, files = embedder._published_model_and_files()
    elif format == "keras":
        record = TaskRecord(type(embedder).__name__, None, settings)
        pretrained = embedder.pretrained.with_task(record)
    else:
        raise ValueError(
            "The `format` of an embedder must be one of "
            f"{', '.join(embedder.formats)}. Received: format={brief(format)}."
        )
    save_pretrained(
        pretrained,
        directory,
        format=format,
        overwrite=overwrite,
        extras=files,
    )


def saved_class(directory):
    """Return the name of the saved class of an embedder.

    Args:
        directory: see `load_directory`.

    Returns:
        "SparseEmbedder" or "LateInteractionEmbedder", or None for others.
    """
    directory, late = local_directory(directory), "LateInteractionEmbedder"
    if (directory / MODULES).is_file():
        routes = read_routes(directory).values()
        names = {name for modules in routes for _, name in modules}
        if "SpladePooling" in names:
            return "SparseEmbedder"
        is_late = "MultiVectorMask" in names or is_pylate(directory)
        return late if is_late else None
    if is_stanford(directory):
        return late
    task = read_task(directory)
    is_own = task is not None and task.task in ("SparseEmbedder", late)
    return task.task if is_own else None


def is_pylate(directory):
    """Return True for a directory of PyLate."""
    return "query_prefix" in read_if_any(directory / SETTINGS)


def is_stanford(directory):
    """Return True for a directory of Stanford's ColBERT."""
    path = directory / "config.json"
    with errors_name(path):
        return COLBERT in published_classes(read_if_any(path))
