"""A model as the task that it was trained for, or is asked for."""

from keras_bert import tasks
from keras_bert.arguments import name_rest
from keras_bert.checkpoints import from_pretrained
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.task import Task

_ENCODER_TASKS = {
    "fill_mask": "FillMask",
    "text_embedder": "TextEmbedder",
    "feature_extractor": "FeatureExtractor",
    "text_generator": "TextGenerator",
}


@name_rest(from_pretrained)
def load_task(directory, **arguments) -> FineTunedTask:
    """Read a fine-tuned model as the task that its files name.

    Args:
        directory: str, as for `keras_bert.from_pretrained`.
        **arguments: arguments of `keras_bert.from_pretrained`.

    Raises:
        ValueError: the model was fine-tuned for no task, or for none that is
            known here.
    """
    pretrained = from_pretrained(directory, **arguments)
    return trained_class(pretrained, directory).of_directory(
        pretrained, directory
    )


def load_any_task(
    directory,
    encoder_task=None,
    default="fill_mask",
    lowercase=None,
    seq_length=None,
    **arguments,
) -> Task:
    """Reads a fine-tuned model, or an encoder, as a `Task`.

    Args:
        directory: str, as for `keras_bert.from_pretrained`.
        encoder_task: str, what an encoder answers: "fill_mask",
            "text_embedder", "feature_extractor" or "text_generator". None: a
            model that was fine-tuned answers its own task, another that of
            `default`.
        default: str, also one of these.
        lowercase: bool, where no file says whether texts are lower-cased.
        seq_length: int, longest text in tokens; by default as trained, or the
            model's limit. Not for "text_generator".
        **arguments: other arguments of the task.

    Raises:
        ValueError: an encoder task is asked for of a fine-tuned model, or the
            model lacks the head for it.
    """
    pretrained = from_pretrained(directory, lowercase=lowercase)
    if pretrained.task is None:
        kind = getattr(tasks, _ENCODER_TASKS[encoder_task or default])
    elif encoder_task is None:
        kind = trained_class(pretrained, directory)
    else:
        raise ValueError(
            f"{directory} was fine-tuned for {pretrained.task.task}, which it "
            f"answers. Received: {encoder_task!r}, a task of encoders."
        )
    if seq_length is not None:
        arguments["seq_length"] = seq_length
    return kind.from_pretrained(directory, lowercase=lowercase, **arguments)


def trained_class(pretrained, directory):
    """Finds the class of the task that a model was fine-tuned for.

    Args:
        pretrained: `PretrainedModel`.
        directory: str, where it was read from.

    Raises:
        ValueError: as by `load_task`.
    """
    if pretrained.task is None:
        raise ValueError(
            f"{directory} must hold a model that was fine-tuned for a task. "
            "Received: an encoder without the head of one. Fine-tune it "
            "first, for example by keras-bert run_classifier."
        )
    name = pretrained.task.task
    kind = getattr(tasks, name) if name in tasks.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, FineTunedTask)):
        raise ValueError(
            f"{directory} must hold a model of a task that is known here. "
            f"Received: one of the task {name!r}."
        )
    return kind
