"""Inputs for tasks with one answer per text or pair.

Long texts are truncated, or read in windows with pooled logits.

References:
    [How to fine-tune BERT](https://arxiv.org/abs/1905.05583), on long texts
"""

import typing

import numpy as np

from keras_bert.checkpoints import PretrainedModel
from keras_bert.messages import brief
from keras_bert.tasks.columns import PAIR_KEYS
from keras_bert.tasks.columns import SINGLE_KEYS
from keras_bert.tasks.columns import TEXT_KEYS
from keras_bert.tasks.columns import encoded_texts
from keras_bert.tasks.columns import split_examples
from keras_bert.tasks.inputs.inputs import Inputs
from keras_bert.tasks.training.encoded import Encoded
from keras_bert.tasks.training.encoded import ragged_rows
from keras_bert.tasks.training.encoded import tokenized
from keras_bert.tasks.training.encoded import tokenized_rows
from keras_bert.tasks.training.ragged_rows import RaggedRows
from keras_bert.template import Template
from keras_bert.text.preprocessor import Preprocessor

POOLINGS = {"mean": np.add, "max": np.maximum}
# Map `is_pair` (None if unknown) to the accepted keys.
_KEYS = {None: TEXT_KEYS, False: SINGLE_KEYS, True: PAIR_KEYS}


class Texts(Inputs):
    """Inputs for tasks on single texts or pairs.

    Args:
        pretrained: model with the head.
        template: layout of the special tokens.
        settings: dict with `seq_length`, `truncation`, `windows`, `stride`
            and `is_pair`. `encode` sets `is_pair` when it gets targets.
    """

    def __init__(
        self,
        pretrained: PretrainedModel,
        template: Template,
        settings: dict[str, typing.Any],
    ):
        self.settings = settings
        self.preprocess = Preprocessor(
            pretrained.tokenizer,
            template,
            settings["seq_length"],
            settings["truncation"],
        )

    @property
    def text_inputs(self) -> tuple[str, ...]:  # type: ignore[override]
        return ("text", "text_pair")[: 1 + bool(self.settings["is_pair"])]

    def read(self, texts: typing.Any) -> list[list[bytes]]:
        return encoded_texts(texts, _KEYS[self.settings["is_pair"]])

    def read_labelled(
        self, texts: typing.Any, labels: typing.Any
    ) -> tuple[list[list[bytes]], list]:
        texts, labels = split_examples(texts, labels)
        return self.read(texts), labels

    def encode(
        self,
        columns: list[list[bytes]],
        targets: np.ndarray | None = None,
        weights: np.ndarray | None = None,
    ) -> Encoded:
        windows = self.settings["windows"]
        if windows is None:
            rows, counts = tokenized_rows(self.preprocess, *columns), None
        elif len(columns) == 2:
            raise ValueError(
                "`windows` is supported only for single texts. Pass "
                "`truncation` to truncate the longer text of each pair. "
                f"Received: windows={brief(windows)}, and pairs of texts."
            )
        else:
            stride = self.settings["stride"]
            rows, counts = split_into_windows(self.preprocess, stride, *columns)
        if targets is not None:
            self.settings["is_pair"] = len(columns) == 2
            if windows:
                targets, weights = window_targets(counts, targets, weights)
        return Encoded(rows, counts, targets=targets, weights=weights)

    def join(self, encoded: Encoded, logits: np.ndarray) -> np.ndarray:
        windows = self.settings["windows"]
        return logits if windows is None else pooled(encoded, logits, windows)


def pooled(encoded: Encoded, logits: np.ndarray, pooling: str) -> np.ndarray:
    """Pool the logits of the windows of each text.

    Args:
        encoded: texts in windows.
        logits: float32 `(num_windows, num_outputs)`, one row per window.
        pooling: a key of `POOLINGS`.

    Returns:
        float32 `(num_texts, num_outputs)`.
    """
    rows = POOLINGS[pooling].reduceat(logits, encoded.starts)
    if pooling == "mean":
        rows = rows / encoded.counts[:, np.newaxis]
    return rows.astype(np.float32)


def window_targets(
    counts: np.ndarray, targets: np.ndarray, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Copy the target of each text to its windows and divide its weight.

    All texts have equal total weight. If all weights are 1, the mean weight
    of the windows is 1.

    Args:
        counts: int array `(num_texts,)`, number of windows of each text.
        targets: array `(num_texts, ...)`.
        weights: float32 `(num_texts,)`. Defaults to 1.

    Returns:
        The targets and the weights of all windows.
    """
    if weights is None:
        weights = np.ones(len(counts), np.float32)
    shares = weights / counts * (counts.sum() / len(counts))
    weights = np.repeat(shares, counts).astype(np.float32)
    return np.repeat(targets, counts, axis=0), weights


def split_into_windows(
    preprocess: Preprocessor, stride: int | None, texts: list[bytes]
) -> tuple[RaggedRows, np.ndarray]:
    """Tokenize single texts and split them into windows.

    The windows of a text are spread evenly, so that none is short.

    Args:
        preprocess: the preprocessor.
        stride: maximum number of tokens between the starts of two windows, or
            None to use the length of a window.
        texts: the texts, in UTF-8.

    Returns:
        The windows of all texts, and the number of windows of each text, int
        `(num_texts,)`.
    """
    room, windows, counts = preprocess.room, [], []
    for (ids,) in tokenized(preprocess.tokenizer, texts):
        starts = _window_starts(len(ids), room, stride or room)
        windows += [ids[start : start + room] for start in starts]
        counts.append(len(starts))
    return ragged_rows(preprocess, windows), np.array(counts, np.int64)


def _window_starts(length: int, room: int, stride: int) -> np.ndarray:
    num_more = max(0, -(-(length - room) // stride))
    return np.linspace(0, max(0, length - room), 1 + num_more).astype(int)
