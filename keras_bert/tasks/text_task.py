"""Base class for tasks with one answer per text or pair."""

import typing

from keras_bert import checks
from keras_bert.checkpoints import PretrainedModel
from keras_bert.messages import brief
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.inputs.texts import POOLINGS
from keras_bert.tasks.inputs.texts import Texts
from keras_bert.tasks.outputs.outputs import Outputs
from keras_bert.text.preprocessor import Preprocessor


class TextTask(FineTunedTask):
    """Base class for tasks with one answer per text or pair.

    Args:
        pretrained: model with or without a head for this task.
        outputs: losses, metrics and decoding of the task.
        settings: JSON-serializable settings of the subclass.
        seq_length, truncation, windows, stride: arguments of the subclasses.

    Attributes:
        is_pair: whether the task takes pairs; None before training.
    """

    preprocess: Preprocessor

    def __init__(
        self,
        pretrained: PretrainedModel,
        outputs: Outputs,
        settings: dict[str, typing.Any],
        seq_length: int | None,
        truncation: str | None,
        windows: str | None,
        stride: int | None,
    ):
        self.outputs = outputs
        trained = self._trained_settings(pretrained)
        seq_length = self._trained_seq_length(pretrained, seq_length)
        template = self._template(pretrained.family)
        room = seq_length - template.num_special(is_pair=False)
        settings = {
            **settings,
            "seq_length": seq_length,
            **long_text_settings(trained, room, truncation, windows, stride),
            "is_pair": trained.get("is_pair"),
        }
        super().__init__(pretrained, Texts, outputs, settings)

    @property
    def is_pair(self) -> bool | None:
        return self.settings["is_pair"]

    def _check_servable(self) -> None:
        super()._check_servable()
        windows = self.settings["windows"]
        if windows is not None:
            raise ValueError(
                "An exported graph does not pool windows. Load the model "
                "with `truncation`, such as 'head', to truncate long texts. "
                f"Received: windows={brief(windows)}."
            )


def long_text_settings(
    trained: dict[str, typing.Any],
    room: int,
    truncation: str | None,
    windows: str | None,
    stride: int | None,
) -> dict[str, typing.Any]:
    """Check the settings for long texts and fill in the defaults.

    Args:
        trained: settings of the trained model, which may be empty.
        room: maximum number of tokens of a text, without special tokens.
        truncation, windows, stride: arguments of `TextClassifier`, or None.

    Returns:
        A dict with `truncation`, `windows` and `stride`; the last two are None
        if texts are truncated. Defaults are the trained settings, or
        truncation at the end.

    Raises:
        ValueError: a value is unknown, or two values exclude each other.
    """
    if truncation is not None and windows is not None:
        raise ValueError(
            "Pass either `truncation` or `windows` for long texts, not "
            f"both. Received: truncation={brief(truncation)}, "
            f"windows={brief(windows)}."
        )
    if truncation is None and windows is None:
        windows = trained.get("windows")
        stride = trained.get("stride") if stride is None else stride
    if windows is not None:
        checks.one_of(POOLINGS, windows=windows)
    if stride is not None:
        checks.at_least(1, stride=stride)
    if stride is not None and (windows is None or stride > room):
        raise ValueError(
            f"`stride` must be from 1 to {room}, the number of tokens in a "
            "window without special tokens, and requires `windows`. "
            f"Received: stride={stride}, windows={brief(windows)}."
        )
    if truncation is None:
        truncation = trained.get("truncation", "head")
    return {
        "truncation": truncation,
        "windows": windows,
        "stride": stride,
    }
