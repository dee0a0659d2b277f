"""Loading of checkpoints as tasks."""

import typing

from keras_bert import tasks
from keras_bert.checkpoints import from_pretrained
from keras_bert.messages import brief
from keras_bert.messages import errors_name
from keras_bert.tasks.embeddings.directories import saved_class
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.task import Task
from keras_bert.typing import Path

_ENCODER_TASKS = {
    "fill_mask": "FillMask",
    "text_embedder": "TextEmbedder",
    "sparse_embedder": "SparseEmbedder",
    "late_interaction_embedder": "LateInteractionEmbedder",
    "feature_extractor": "FeatureExtractor",
    "text_generator": "TextGenerator",
}


def load_task(
    directory: Path,
    allow_missing: typing.Collection[str] = (),
    lowercase: bool | None = None,
    special_tokens_in_text: bool | None = None,
    strict: bool = False,
) -> typing.Any:
    """Load a fine-tuned model, or an embedder with `predict`, as its task.

    Args:
        directory: path or name, as in `keras_bert.from_pretrained`.
        allow_missing, lowercase, special_tokens_in_text, strict: see
            `keras_bert.from_pretrained`. `allow_missing` has no effect on an
            embedder.

    Returns:
        An object of a class in `keras_bert.tasks` that has a method `predict`.

    Raises:
        ValueError: the model is not fine-tuned, or its task is unknown.
    """
    arguments = {
        "lowercase": lowercase,
        "special_tokens_in_text": special_tokens_in_text,
        "strict": strict,
    }
    embedder = saved_class(directory)
    if embedder is not None:
        task_class = getattr(tasks, embedder)
        return task_class.from_pretrained(directory, **arguments)
    pretrained = from_pretrained(
        directory, allow_missing=allow_missing, **arguments
    )
    task_class = trained_class(pretrained, directory)
    with errors_name(directory):
        return task_class._of_directory(pretrained, directory)


def load_any_task(
    directory: Path,
    encoder_task: str | None = None,
    default: str = "fill_mask",
    lowercase: bool | None = None,
    seq_length: int | None = None,
    **arguments: typing.Any,
) -> Task:
    """Load a fine-tuned model, or an encoder, as a `Task`.

    Args:
        directory: path or name, as in `keras_bert.from_pretrained`.
        encoder_task: task of an encoder: "fill_mask", "text_embedder",
            "sparse_embedder", "late_interaction_embedder", "feature_extractor"
            or "text_generator". Defaults to the saved task of an embedder, or
            to `default`. Must be None for a fine-tuned model, which is loaded
            as its saved task.
        default: default `encoder_task` for an encoder.
        lowercase: whether to lower-case texts. Required if no file of the
            checkpoint specifies it.
        seq_length: maximum length of a text in tokens. Defaults to the trained
            length, or the model's maximum. Not for "text_generator".
        **arguments: other arguments of the task.

    Raises:
        ValueError: `encoder_task` is set for a fine-tuned model, or the model
            lacks the head for it.
    """
    if seq_length is not None:
        arguments["seq_length"] = seq_length
    embedder = saved_class(directory)
    if embedder and embedder == _ENCODER_TASKS.get(encoder_task, embedder):
        return getattr(tasks, embedder).from_pretrained(
            directory, lowercase=lowercase, **arguments
        )
    pretrained = from_pretrained(directory, lowercase=lowercase)
    saved = pretrained.task and pretrained.task.task
    if saved in (None, *_ENCODER_TASKS.values()):
        name = _ENCODER_TASKS[encoder_task or default]
        task_class = getattr(tasks, name if encoder_task else saved or name)
    elif encoder_task is None:
        task_class = trained_class(pretrained, directory)
    else:
        raise ValueError(
            f"{directory} is fine-tuned for {pretrained.task.task}, so it has "
            f"no encoder task. Received: encoder_task={brief(encoder_task)}."
        )
    return task_class.from_pretrained(
        directory, lowercase=lowercase, **arguments
    )


def trained_class(pretrained, directory):
    """Return the task class of a fine-tuned model.

    Args:
        pretrained: `PretrainedModel`.
        directory: str, checkpoint path to show in error messages.

    Raises:
        ValueError: the same errors as `load_task`.
    """
    if pretrained.task is None:
        raise ValueError(
            f"{directory} must contain a fine-tuned model. Received: an "
            "encoder without a task head. Fine-tune it first, for example "
            "with `keras-bert run_classifier`."
        )
    name = pretrained.task.task
    task_class = getattr(tasks, name) if name in tasks.__all__ else None
    if not (
        isinstance(task_class, type) and issubclass(task_class, FineTunedTask)
    ):
        raise ValueError(
            f"{directory} must contain a model of a known task. "
            f"Received: task {brief(name)}."
        )
    return task_class
