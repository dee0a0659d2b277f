"""Loading of rankers, including sentence-transformers cross-encoders."""

from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints.errors import CheckpointError
from keras_bert.checkpoints.layout import local_directory
from keras_bert.config import read_json_object
from keras_bert.messages import brief

_SETTINGS = "config_sentence_transformers.json"
_OLDER_KEY = "sbert_ce_default_activation_function"
_ACTIVATIONS = {"Sigmoid": "sigmoid", "Identity": "linear"}


def load_ranker(directory, **arguments):
    """Load a model and its ranking settings.

    Args:
        directory: str, as for `keras_bert.from_pretrained`.
        **arguments: other arguments of `keras_bert.from_pretrained`.

    Returns:
        A `PretrainedModel` and a dict of `PairRanker` arguments, empty if the
        model is an encoder or was saved as a `PairRanker`.

    Raises:
        CheckpointError: a file cannot be used, or the model has several
            outputs, prompts or an unknown activation.
    """
    directory = local_directory(directory)
    pretrained = from_pretrained(directory, **arguments)
    task, config = pretrained.task, directory / "config.json"
    if task is None or task.task == "PairRanker" or not config.is_file():
        return pretrained, {}
    values = _read(directory, "config.json")
    saved = _read(directory, _SETTINGS)
    if not saved and task.task != "TextRegressor":
        return pretrained, {}
    if task.head.num_outputs != 1:
        raise CheckpointError(
            f"{directory}: a PairRanker has one score for each pair. Received: "
            f"{task.head.num_outputs} outputs. Load the model with "
            "TextClassifier or TextRegressor."
        )
    prompt = saved.get("default_prompt_name")
    if prompt is not None:
        raise CheckpointError(
            f"{directory / _SETTINGS}: prompts are not supported. Received: "
            f"default_prompt_name={brief(prompt)}."
        )
    limit = pretrained.config.max_seq_length
    return pretrained, {
        "activation": _activation(directory, values, saved),
        "seq_length": published_length(directory, pretrained) or limit,
    }


def published_length(directory, pretrained):
    """Return the length in `tokenizer_config.json` within the limit, or None.

    Args:
        directory: `pathlib.Path`.
        pretrained: `PretrainedModel`.
    """
    length = _read(directory, "tokenizer_config.json").get("model_max_length")
    return length and min(int(length), pretrained.config.max_seq_length)


def _activation(directory, values, saved):
    older = values.get("sentence_transformers") or {}
    older = older.get("activation_fn") or values.get(_OLDER_KEY)
    name = saved.get("activation_fn") or older or "Sigmoid"
    activation = _ACTIVATIONS.get(str(name).rpartition(".")[2])
    if activation is None:
        raise CheckpointError(
            f"{directory}: the activation of a PairRanker must be one of "
            f"{', '.join(_ACTIVATIONS)}. Received: {brief(name)}."
        )
    return activation


def _read(directory, name):
    path = directory / name
    try:
        return read_json_object(path) if path.is_file() else {}
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{path}: {error}") from None
