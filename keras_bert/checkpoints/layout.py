"""File names of each checkpoint format."""

import pathlib
import re

from keras_bert import checks
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.hub import check_name
from keras_bert.checkpoints.hub import download
from keras_bert.checkpoints.weight_table import model_types
from keras_bert.checkpoints.weight_table import tf1_columns
from keras_bert.files.manifest import MANIFEST
from keras_bert.files.manifest import is_listed
from keras_bert.files.manifest import own_files
from keras_bert.files.manifest import read_manifest
from keras_bert.files.outputs import check_files
from keras_bert.files.outputs import check_listed
from keras_bert.files.outputs import finish_moves
from keras_bert.text.tokenizer_kinds import KINDS

CARD = "README.md"
CONFIG = "model_config.json"
TASK = "task.json"  # Exists only for fine-tuned models.
# Map `model_type` to google-research config file names, for families whose
# weight table has a column for these checkpoints.
GOOGLE_CONFIGS = {
    model_type: f"{model_type}_config.json"
    for model_type in model_types()
    if tf1_columns(model_type)
}
# Files to write before the tokenizer (weights) and after it (config).
_FORMATS = {
    "keras": (("model.safetensors",), (CONFIG,)),
    "hf": (("model.safetensors",), ("config.json",)),
    "tf1": (
        ("bert_model.ckpt.data-00000-of-00001", "bert_model.ckpt.index"),
        tuple(GOOGLE_CONFIGS.values()),
    ),
}
CONFIG_FILES = frozenset(x for _, names in _FORMATS.values() for x in names)
HUGGING_FACE_WEIGHTS = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
_INDEX = ".index"
_STATE = re.compile(r"step-(\d{8})\.npz")


def files_of(format):
    """Return the file names of a checkpoint format, weights first."""
    weights, configs = _FORMATS[format]
    tokenizer = [
        name
        for settings_class in KINDS.values()
        for name in settings_class.files
    ]
    return [*weights, *dict.fromkeys(tokenizer), *configs]


def format_of(directory):
    """Return the format of the checkpoint in a directory (`pathlib.Path`).

    Returns:
        "keras", "hf", "tf1" (google-research or Model Garden), "states" (an
        unfinished pre-training run) or None.
    """
    manifest = read_manifest(directory / MANIFEST) or {}
    # The manifest defines the format if the config is missing.
    if (directory / CONFIG).is_file() or manifest.get("format") == "keras":
        return "keras"
    if (directory / "config.json").is_file() and any(
        (directory / name).is_file() for name in HUGGING_FACE_WEIGHTS
    ):
        return "hf"
    has_tensorflow = bool(prefixes(directory))
    if has_tensorflow and google_configs(directory):
        return "tf1"
    if states(directory):
        return "states"
    return "tf1" if has_tensorflow else None


def google_configs(directory):
    """Return a dict mapping `model_type` to google-research config files."""
    paths = {
        model_type: directory / name
        for model_type, name in GOOGLE_CONFIGS.items()
    }
    return {
        model_type: path for model_type, path in paths.items() if path.is_file()
    }


def prefixes(directory):
    """Return the sorted names of the TensorFlow checkpoints in a directory."""
    return sorted(
        path.name.removesuffix(_INDEX)
        for path in home_of(directory).glob(f"*{_INDEX}")
    )


def home_of(directory):
    """Return the directory that contains the files of a model path.

    In a path such as "directory/generator", "generator" selects one of two
    models in a checkpoint and is not a directory.
    """
    if directory.is_dir():
        return directory
    columns = {
        x for model_type in model_types() for x in tf1_columns(model_type)
    }
    return directory.parent if f"tf1_{directory.name}" in columns else directory


def local_directory(directory):
    """Return a model's local directory, downloaded from the Hub if needed."""
    path = pathlib.Path(directory)
    if path.is_dir():
        finish_moves(path)
        return path
    return path if prefixes(path) else download(str(directory))


def states(directory):
    """Return a dict mapping steps to paths of training states, sorted."""
    paths = {
        int(match[1]): path
        for path in directory.glob("states/step-*.npz")
        if (match := _STATE.fullmatch(path.name))
    }
    return dict(sorted(paths.items()))


def check_readable(directory):
    """Return the format of a directory, or raise CheckpointError."""
    format = format_of(directory)
    if format is None:
        files = sorted(path.name for path in directory.iterdir())
        # The fine-tuning programs write the model to this subfolder.
        model = directory / "model"
        is_run = model.is_dir() and format_of(model) is not None
        advice = f" Did you mean {model}?" if is_run else ""
        if "adapter_config.json" in files:
            advice = (
                " It has a PEFT adapter: load its base model, and pass the "
                "model and this directory to `load_adapter` of "
                "`keras_bert.checkpoints`."
            )
        raise CheckpointError(
            f"{directory} is not a checkpoint directory. It must contain "
            f"{CONFIG} and model.safetensors; config.json and "
            "model.safetensors or pytorch_model.bin; "
            f"{' or '.join(GOOGLE_CONFIGS.values())} and a TensorFlow "
            "checkpoint; or the states/ of a training run. Received: "
            f"{', '.join(files[:10]) or 'an empty directory'}.{advice}"
        )
    return format


def check_input(directory):
    """Raise CheckpointError unless a directory or Hub name is a checkpoint."""
    path = pathlib.Path(directory)
    if path.is_dir() or prefixes(path):
        check_readable(path)
    else:
        check_name(directory)


def check_sizes(directory):
    """Raise CheckpointError if a file differs from the manifest."""
    for name, entry in own_files(directory).items():
        path = directory / name
        if name != CARD and not is_listed(path, entry):
            size = path.stat().st_size if path.is_file() else "no"
            raise CheckpointError(
                f"{path} was changed or deleted after it was written. "
                f"Expected: {entry['bytes']} bytes. Received: {size} bytes. "
                "Copy or convert the checkpoint again. If the change is "
                f"intended, delete {MANIFEST} next to it."
            )


def check_output(
    directory, format="keras", inputs=(), overwrite=False, extras=()
):
    """Raise ValueError unless a checkpoint may be written.

    Every file must be new or, with `overwrite`, written by this library. The
    directory may contain other files, such as a README.md of the user.

    Args:
        directory: str, created if needed.
        format: "keras", "hf" or "tf1".
        inputs: list of str, files and directories that are read.
        overwrite: bool, whether to replace files of this library.
        extras: iterable of str, names of additional files, which may include
            folders.
    """
    checks.one_of(_FORMATS, format=format)
    directory = pathlib.Path(directory)
    if directory.suffix in (".keras", ".h5"):
        raise ValueError(
            "A checkpoint is a directory, not a Keras file. Choose a name "
            "without a suffix. To write a file for `keras.models.load_model`, "
            "call `keras_bert.tasks.text_model(task).save(path)` or "
            f"`pretrained.encoder.save(path)`. Received: {str(directory)!r}."
        )
    if directory.is_dir():
        finish_moves(directory)
    if format_of(directory) not in (None, "states", format):
        raise ValueError(
            f"{str(directory)!r} contains a checkpoint in a different format. "
            "Save to another directory."
        )
    names = [*files_of(format), TASK]
    manifest = read_manifest(directory / MANIFEST) or {}
    if manifest.get("format") != format:  # It belongs to another output.
        names.append(MANIFEST)
    check_files([directory / name for name in names], inputs, overwrite)
    check_listed(directory, extras, overwrite)
