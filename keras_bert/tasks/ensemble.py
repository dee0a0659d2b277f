"""Ensembles of fine-tuned models."""

import os
import typing

import numpy as np

from keras_bert.messages import brief
from keras_bert.summary import Summarized
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.loading import load_task
from keras_bert.tasks.outputs.outputs import Classes
from keras_bert.tasks.outputs.spans import Spans
from keras_bert.tasks.outputs.spans import row_answers
from keras_bert.tasks.training.forward import progress_bar
from keras_bert.typing import Path

_Ensemble = typing.TypeVar("_Ensemble", bound="Ensemble")


class Ensemble(Summarized):
    """Ensemble that averages the logits of several models for one task.

    Each model has its own tokenizer, so cased and uncased models, and models
    of several families, can be combined. `QuestionAnswerer` models average
    token logits, so they must have the same tokenizer and window sizes.

    Args:
        tasks: two or more `FineTunedTask`s of one class, such as
            `TextClassifier`, with the same labels. Settings that may differ,
            such as `null_threshold`, come from the first task.

    Raises:
        ValueError: the tasks differ in a setting that they must share. The
            message names the setting.

    Example:

    >>> ensemble = keras_bert.Ensemble.from_pretrained(["seed-1", "seed-2"])
    >>> [answer["label"] for answer in ensemble.predict(["a fine film"])]
    ['positive']

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 4.2
    """

    def __init__(self, tasks: typing.Iterable[FineTunedTask]):
        self.tasks = list(tasks)
        _check_same_task(self.tasks)
        self.settings = _common_settings(self.tasks)
        self._first: typing.Any = self.tasks[0]

    def _facts(self):
        task = _name(self._first)
        return {"task": task, "num_models": len(self.tasks), **self.settings}

    @classmethod
    def from_pretrained(
        cls: type[_Ensemble],
        directories: typing.Iterable[Path],
        *,
        allow_missing: typing.Collection[str] = (),
        lowercase: bool | None = None,
        special_tokens_in_text: bool | None = None,
        strict: bool = False,
    ) -> _Ensemble:
        """Load an ensemble from the checkpoints of fine-tuned models.

        Args:
            directories: two or more paths, as in `load_task`.
            allow_missing, lowercase, special_tokens_in_text, strict: see
                `keras_bert.from_pretrained`.

        Raises:
            ValueError: `directories` is a single directory, or the models are
                of different tasks or labels.
        """
        if isinstance(directories, str | os.PathLike):
            raise ValueError(
                "`directories` must be a list of two or more directories. "
                f"Received: directories={brief(directories)}."
            )
        return cls(
            [
                load_task(
                    directory,
                    allow_missing=allow_missing,
                    lowercase=lowercase,
                    special_tokens_in_text=special_tokens_in_text,
                    strict=strict,
                )
                for directory in directories
            ]
        )

    @property
    def text_inputs(self) -> tuple[str, ...]:
        """Names of the string inputs of `predict`."""
        return self._first.text_inputs

    @property
    def batch_tokens(self) -> int:
        """Maximum number of tokens computed together (int). Can be assigned."""
        return self._first.batch_tokens

    @batch_tokens.setter
    def batch_tokens(self, value):
        for task in self.tasks:
            task.batch_tokens = value

    @one_or_many
    def predict(
        self, texts: typing.Any, show_progress_bar: bool = False
    ) -> typing.Any:
        """Predict from the averaged logits.

        Args:
            texts: texts in the format of the tasks' `predict`.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            The same type as the tasks' `predict`.
        """
        encoded = self._encode(texts)
        num_rows = sum(len(x.rows) for x in encoded)
        with progress_bar(show_progress_bar, num_rows):
            return self._first.outputs.decode(encoded[0], self._logits(encoded))

    @one_or_many
    def probabilities(self, texts: typing.Any) -> typing.Any:
        """Compute the probability of each label or choice.

        Args:
            texts: texts in the format of the tasks' `probabilities`.

        Returns:
            The same type as the tasks' `probabilities`.

        Raises:
            ValueError: the tasks have no such method.
        """
        if not isinstance(self._first.outputs, Classes):
            raise ValueError(
                "`probabilities` requires a TextClassifier, a "
                "TokenClassifier or a MultipleChoice. "
                f"Received: an ensemble of {_name(self._first)}s."
            )
        encoded = self._encode(self._first.inputs.as_words(texts))
        return self._first.outputs.probabilities(self._logits(encoded))

    @property
    def null_threshold(self) -> float | None:
        """`null_threshold` of the first `QuestionAnswerer`. Can be assigned."""
        return self._first.null_threshold

    @null_threshold.setter
    def null_threshold(self, value):
        self._first.null_threshold = value

    def answers(
        self,
        questions: typing.Any,
        n_best_size: int = 20,
        max_answer_length: int = 30,
    ) -> dict[str, typing.Any]:
        """Find the best answers to each question, for `write_squad_files`.

        Args:
            questions: questions in the format of `QuestionAnswerer.fit`.
            n_best_size: number of answers per question.
            max_answer_length: maximum number of tokens of an answer.

        Returns:
            A dict mapping question ids to `Answers`.

        Raises:
            ValueError: the tasks have no such method.
        """
        if not isinstance(self._first.outputs, Spans):
            raise ValueError(
                "`answers` requires a QuestionAnswerer. "
                f"Received: an ensemble of {_name(self._first)}s."
            )
        encoded = [task._labelled(questions) for task in self.tasks]
        logits = self._logits(encoded)
        return row_answers(encoded[0], logits, n_best_size, max_answer_length)

    def evaluate(
        self, texts: typing.Any, labels: typing.Any = None
    ) -> dict[str, float]:
        """Evaluate the predictions on labelled examples.

        Args:
            texts, labels: examples in the format of the tasks' `evaluate`.

        Returns:
            A dict mapping metric names to floats.
        """
        encoded = [task._labelled(texts, labels) for task in self.tasks]
        return self._first.outputs.metrics(encoded[0], self._logits(encoded))

    def _encode(self, texts):
        """Return a list with the `Encoded` texts for each model."""
        encoded = [self._first._encode(texts)]
        texts = self._first.inputs.ensemble_texts(encoded[0], texts)
        return encoded + [task._encode(texts) for task in self.tasks[1:]]

    def _logits(self, encoded):
        pairs = zip(self.tasks, encoded, strict=True)
        return _mean([task._logits(rows) for task, rows in pairs])


def _mean(logits):
    """Average arrays, or lists of arrays, over models."""
    if isinstance(logits[0], list):
        return [_mean(rows) for rows in zip(*logits, strict=True)]
    return np.mean(logits, axis=0)


def _check_same_task(tasks):
    names = [_name(task) for task in tasks]
    is_known = all(isinstance(task, FineTunedTask) for task in tasks)
    if not is_known or len(tasks) < 2 or len({*names}) > 1:
        raise ValueError(
            "`tasks` must be two or more models of one fine-tuned task. "
            "To read directories, call `Ensemble.from_pretrained`. "
            f"Received: {', '.join(names) or '[]'}."
        )


def _common_settings(tasks):
    """Return the shared settings, or raise if two models differ."""
    agreed = {}
    for number, task in enumerate(tasks, 1):
        for name, value in task._ensemble_settings.items():
            if value is None:
                continue
            if agreed.setdefault(name, value) != value:
                raise ValueError(
                    f"The models of an ensemble must have the same `{name}`. "
                    f"Received: {name}={brief(value)} of model {number}, and "
                    f"{name}={brief(agreed[name])} of an earlier model."
                )
    return agreed


def _name(task):
    return type(task).__name__
