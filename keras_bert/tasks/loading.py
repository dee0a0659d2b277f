"""A fine-tuned model as the task that it was trained for."""

from keras_bert import tasks
from keras_bert.checkpoints import from_pretrained
from keras_bert.tasks.fine_tuning.fine_tuned_task import FineTunedTask


def load_task(directory, lowercase=None, otherwise=None, **kwargs):
    """Reads a fine-tuned model; its own files tell the task.

    Args:
        directory: str, as of `keras_bert.from_pretrained`.
        lowercase: bool, where no file says whether texts are lower-cased.
        otherwise: class of `tasks` for a model that was fine-tuned for no
            task, such as `FeatureExtractor`. None makes that an error.
        **kwargs: other arguments of the task.

    Returns:
        A `FineTunedTask`, such as a `TextClassifier`; or one of `otherwise`.

    Raises:
        ValueError: the model was fine-tuned for no task, or for none that is
            known here.
    """
    pretrained = from_pretrained(directory, lowercase=lowercase)
    if pretrained.task is None and otherwise is not None:
        return otherwise.of_directory(pretrained, directory, **kwargs)
    if pretrained.task is None:
        raise ValueError(
            f"{directory} must hold a model that was fine-tuned for a task. "
            "Received: an encoder without the head of one. Fine-tune it "
            "first, for example by tools/run_classifier.py."
        )
    name = pretrained.task.task
    kind = getattr(tasks, name) if name in tasks.__all__ else None
    if not (isinstance(kind, type) and issubclass(kind, FineTunedTask)):
        raise ValueError(
            f"{directory} must hold a model of a task that is known here. "
            f"Received: one of the task {name!r}."
        )
    return kind.of_directory(pretrained, directory, **kwargs)
