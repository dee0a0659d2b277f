"""Tasks on single texts or pairs, with an answer for the whole.

Texts that are too long are cut, or read in windows whose logits are pooled.

References:
    [How to fine-tune BERT](https://arxiv.org/abs/1905.05583), on long texts
"""

import numpy as np

from keras_bert import checks
from keras_bert.arguments import describe
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.columns import PAIR_KEYS
from keras_bert.tasks.fine_tuning.columns import SINGLE_KEYS
from keras_bert.tasks.fine_tuning.columns import TEXT_KEYS
from keras_bert.tasks.fine_tuning.columns import encoded_texts
from keras_bert.tasks.fine_tuning.columns import split_examples
from keras_bert.tasks.fine_tuning.encoded import Encoded
from keras_bert.tasks.fine_tuning.encoded import packed_rows
from keras_bert.tasks.fine_tuning.encoded import tokenized_rows
from keras_bert.tasks.parts import Inputs
from keras_bert.text.preprocessor import Preprocessor

_TEXTS_AT_ONCE = 4096
# By whether the texts are pairs, if that is known.
_KEYS = {None: TEXT_KEYS, False: SINGLE_KEYS, True: PAIR_KEYS}

_OWN_ARGUMENTS = ("pretrained", "answer", "settings")


class Texts(Inputs):
    """Single texts or pairs.

    Args:
        pretrained: `PretrainedModel`.
        template: `Template`.
        settings: dict with `seq_length`, `truncation`, `windows`, `stride`
            and `is_pair`, which is set to whether the examples are pairs.
    """

    def __init__(self, pretrained, template, settings):
        self.settings = settings
        self.preprocess = Preprocessor(
            pretrained.tokenizer,
            template,
            settings["seq_length"],
            settings["truncation"],
        )

    @property
    def text_inputs(self):
        return ("text", "text_pair")[: 1 + bool(self.settings["is_pair"])]

    def read(self, texts):
        return encoded_texts(texts, _KEYS[self.settings["is_pair"]])

    def read_labelled(self, texts, labels):
        texts, labels = split_examples(texts, labels)
        return self.read(texts), labels

    def encode(self, columns, targets=None, weights=None):
        windows = self.settings["windows"]
        if windows is None:
            rows, counts = tokenized_rows(self.preprocess, *columns), None
        elif len(columns) == 2:
            raise ValueError(
                "`windows` are for single texts: it is unknown which text of "
                "a pair to cut. Pass `truncation` to cut the longer one. "
                f"Received: windows={windows!r}, and pairs of texts."
            )
        else:
            stride = self.settings["stride"]
            rows, counts = cut_texts(self.preprocess, stride, *columns)
        if targets is not None:
            self.settings["is_pair"] = len(columns) == 2
            if windows:
                targets, weights = shared_by_windows(counts, targets, weights)
        return Encoded(rows, counts, targets=targets, weights=weights)

    def join(self, encoded, logits):
        windows = self.settings["windows"]
        return logits if windows is None else pooled(encoded, logits, windows)


class TextTask(FineTunedTask):
    """Base class of tasks with an answer for a whole text or pair.

    Args:
        pretrained: `PretrainedModel`.
        answer: `Outputs`.
        settings: dict for JSON, of the subclass.
        seq_length: int, longest text or pair in tokens, special tokens
            included; by default as trained, or else 128, or the model's limit
            if that is less.
        truncation: str, which part of longer texts is kept: "head", their
            beginning, which is the default, "tail" or "head_tail".
        windows: str, "mean" or "max": longer single texts are not cut but
            read in windows, and the logits of the windows are pooled. In
            training each window is an example with the label of its text,
            and the windows of a text weigh as much as one text; `batch_size`
            is in windows.
        stride: int, most tokens from the start of a window to the start of
            the next; by default windows overlap only so far that none is
            short.

    Attributes:
        is_pair: bool, whether it takes pairs, which is known from the
            examples that it is trained on; None before.
    """

    def __init_subclass__(cls):
        describe(TextTask, omit=_OWN_ARGUMENTS)(cls)
        super().__init_subclass__()

    def __init__(
        self,
        pretrained,
        answer,
        settings,
        seq_length,
        truncation,
        windows,
        stride,
    ):
        self.answer = answer
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
        super().__init__(pretrained, Texts, answer, settings)

    @property
    def is_pair(self):
        return self.settings["is_pair"]

    def check_servable(self):
        super().check_servable()
        windows = self.settings["windows"]
        if windows is not None:
            raise ValueError(
                "In a served graph a text has one row, so windows are not "
                "pooled there. Read the model with `truncation`, such as "
                "'head', to serve it on texts that are cut. "
                f"Received: windows={windows!r}."
            )


POOLINGS = {"mean": np.add, "max": np.maximum}


def pooled(encoded, logits, pooling):
    """Pools the logits of windows.

    Args:
        encoded: `Encoded` of texts in windows.
        logits: float32 `(num_windows, num_outputs)`, of all windows.
        pooling: str, a key of `POOLINGS`.

    Returns:
        float32 `(num_texts, num_outputs)`.
    """
    rows = POOLINGS[pooling].reduceat(logits, encoded.starts)
    if pooling == "mean":
        rows = rows / encoded.counts[:, np.newaxis]
    return rows.astype(np.float32)


def shared_by_windows(counts, targets, weights=None):
    """Gives each window the target of its text, and a share of its weight.

    The windows of a text weigh as much together as those of any other, and
    where all weights are 1 their mean is 1.

    Args:
        counts: int array `(num_texts,)`, how many windows each text has.
        targets: array `(num_texts, ...)`.
        weights: float32 `(num_texts,)`; all 1 by default.

    Returns:
        The targets and weights of all windows.
    """
    if weights is None:
        weights = np.ones(len(counts), np.float32)
    shares = weights / counts * (counts.sum() / len(counts))
    weights = np.repeat(shares, counts).astype(np.float32)
    return np.repeat(targets, counts, axis=0), weights


def cut_texts(preprocess, stride, texts):
    """Tokenizes single texts and cuts them into windows.

    Those of a text are spread evenly, so that none is short.

    Args:
        preprocess: `Preprocessor`.
        stride: int, most tokens from the start of a window to that of the
            next, from 1 to those that a window has; None for the latter.
        texts: list of bytes.

    Returns:
        `PackedRows` of the windows of all texts, and their numbers, int
        `(num_texts,)`.
    """
    room = preprocess.seq_length - preprocess.template.num_special(False)
    windows, counts = [], []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        tokens = preprocess.tokenizer(texts[start : start + _TEXTS_AT_ONCE])
        splits = tokens.row_splits.numpy()[1:-1]
        for ids in np.split(tokens.flat_values.numpy(), splits):
            starts = _window_starts(len(ids), room, stride or room)
            windows += [ids[place : place + room] for place in starts]
            counts.append(len(starts))
    return packed_rows(preprocess, windows), np.array(counts, np.int64)


def _window_starts(length, room, stride):
    num_more = max(0, -(-(length - room) // stride))
    return np.linspace(0, max(0, length - room), 1 + num_more).astype(int)


def long_text_settings(trained, room, truncation, windows, stride):
    """Checks the settings of texts that are longer than a model can take.

    Args:
        trained: dict, those that the model was trained with; perhaps empty.
        room: int, most tokens of a text in a sequence.
        truncation, windows, stride: as `TextClassifier` takes them, or None.

    Returns:
        A dict of `truncation`, `windows` and `stride`, of which the last two
        are None where texts are cut. What the user leaves open is as trained,
        or else texts are cut at their end.

    Raises:
        ValueError: a value is none that there is, or goes not with others.
    """
    if truncation is not None and windows is not None:
        raise ValueError(
            "Longer texts are cut, by `truncation`, or read in `windows`, not "
            f"both. Received: truncation={truncation!r}, windows={windows!r}."
        )
    if truncation is None and windows is None:
        windows = trained.get("windows")
        stride = trained.get("stride") if stride is None else stride
    if windows is not None:
        checks.one_of(POOLINGS, windows=windows)
    if stride is not None and (windows is None or not 1 <= stride <= room):
        raise ValueError(
            f"`stride` must be from 1 to {room}, the tokens that a window "
            "has besides special ones, and goes with `windows`. "
            f"Received: stride={stride}, windows={windows!r}."
        )
    return {
        "truncation": truncation or trained.get("truncation", "head"),
        "windows": windows,
        "stride": stride,
    }
