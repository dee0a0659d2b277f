"""Extractive question answering (SQuAD)."""

import contextlib
import dataclasses
import typing

import keras

from keras_bert import features
from keras_bert.checkpoints import PretrainedModel
from keras_bert.lazy_tensorflow import tf
from keras_bert.tasks.columns import one_or_many
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.inputs.question_preprocessor import IS_OWNED
from keras_bert.tasks.inputs.question_preprocessor import QUESTIONS
from keras_bert.tasks.inputs.question_preprocessor import TOKEN_ENDS
from keras_bert.tasks.inputs.question_preprocessor import TOKEN_STARTS
from keras_bert.tasks.inputs.question_preprocessor import window_answers
from keras_bert.tasks.inputs.question_rows import Questions
from keras_bert.tasks.inputs.question_rows import check_spans
from keras_bert.tasks.inputs.question_rows import questions_of
from keras_bert.tasks.outputs.spans import Spans
from keras_bert.tasks.outputs.spans import row_answers
from keras_bert.tasks.readers.squad import has_impossible
from keras_bert.tasks.training.recipe import HasRecipe
from keras_bert.text.tokenizer_settings import identifying_settings
from keras_bert.typing import Arguments

_DOC_STRIDE = 128
_MAX_QUERY_LENGTH = 64


class QuestionAnswerer(FineTunedTask):
    """Extractive question answering model that returns spans of the context.

    Long contexts are split into overlapping windows.

    Args:
        pretrained: encoder, or model fine-tuned for this task.
        seq_length: maximum number of tokens in a question with a window of its
            context, including special tokens. Defaults to the trained length,
            or 384.
        doc_stride: number of tokens between the starts of two windows.
            Defaults to the trained value, or 128.
        max_query_length: maximum number of tokens in a question. Defaults to
            the trained value, or to 64, or to half of `seq_length` if that is
            less.

    Example:

    >>> answerer = keras_bert.QuestionAnswerer.from_pretrained("directory")
    >>> history = answerer.fit("train.json", epochs=2, verbose=0)
    >>> context = "Leipzig is a city in Saxony."
    >>> (answer,) = answerer.predict([("Where is Leipzig?", context)])
    >>> context[answer["start"] : answer["end"]] == answer["answer"]
    True

    References:
        [BERT](https://arxiv.org/abs/1810.04805), sections 4.2 and 4.3
    """

    default_length = 384
    substring_outputs = ("answer",)
    remedies = (
        f"{FineTunedTask.remedies}; or train first without the questions that "
        "have no answer"
    )

    def __init__(
        self,
        pretrained: PretrainedModel,
        seq_length: int | None = None,
        doc_stride: int | None = None,
        max_query_length: int | None = None,
    ):
        seq_length = self._trained_seq_length(pretrained, seq_length)
        settings = {
            "seq_length": seq_length,
            "doc_stride": _DOC_STRIDE,
            "max_query_length": min(_MAX_QUERY_LENGTH, seq_length // 2),
            "has_impossible": None,
            "null_threshold": None,
        }
        trained = self._trained_settings(pretrained)
        given = {"doc_stride": doc_stride, "max_query_length": max_query_length}
        given = {k: x for k, x in given.items() if x is not None}
        settings |= {k: trained[k] for k in settings.keys() & trained.keys()}
        settings |= {"seq_length": seq_length, **given}
        super().__init__(pretrained, Questions, Spans(settings), settings)

    @property
    def null_threshold(self) -> float | None:
        """Threshold (float) above which a question counts as unanswerable.

        It is compared with the score of "no answer" minus the score of the
        best answer. If None, every question gets an answer. Can be assigned.
        """
        return self.settings["null_threshold"]

    @null_threshold.setter
    def null_threshold(self, value):
        self.settings["null_threshold"] = value

    def fit(  # type: ignore[override]
        self: HasRecipe[Arguments],
        questions: typing.Any,
        validation_data: typing.Any = None,
        callbacks: typing.Sequence[keras.callbacks.Callback] = (),
        verbose: str | int = "auto",
        teacher: typing.Optional["QuestionAnswerer"] = None,
        *args: Arguments.args,
        **recipe: Arguments.kwargs,
    ) -> keras.callbacks.History:
        """Fine-tune the model.

        If some questions are impossible, the model learns to return no
        answer. `null_threshold` is then tuned on the validation data, or set
        to 0 if there is none. Questions with a wrong answer position are
        skipped, and a warning reports their number.

        Args:
            questions: path (str) of a SQuAD file, version 1.1 or 2.0; its
                parsed JSON (dict); or list of `SquadQuestion`.
            validation_data: questions in the same format. They are evaluated
                after each epoch, and the weights of the best epoch are kept.
            callbacks: list of Keras callbacks. They can monitor `loss` and,
                with `validation_data`, `val_loss` and the metrics of
                `evaluate`, such as `val_f1`.
            verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
            teacher: trained task with the same vocabulary and window sizes.
                The model learns to imitate its logits.
            **recipe: fields of `Recipe`.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: a question or the teacher cannot be used. Nothing is
                trained.
        """
        return super().fit(
            questions,
            None,
            validation_data,
            None,
            callbacks,
            verbose,
            teacher,
            None,
            *args,
            **recipe,
        )

    def evaluate(  # type: ignore[override]
        self, questions: typing.Any
    ) -> dict[str, float]:
        """Compute the SQuAD scores of the predicted answers.

        Args:
            questions: questions in the format of `fit`.

        Returns:
            A dict with the scores of the official SQuAD scripts in percent, as
            returned by `squad_scores`.
        """
        return super().evaluate(questions)

    def tune_null_threshold(self, questions: typing.Any) -> float:
        """Set `null_threshold` to the value with the best F1.

        Args:
            questions: questions in the format of `fit`; some must be
                impossible.

        Returns:
            The threshold.

        Raises:
            ValueError: no question is impossible.
        """
        encoded = self._labelled(questions)
        if not has_impossible(questions_of(encoded)):
            raise ValueError(
                "To tune `null_threshold`, some of `questions` must be "
                "impossible to answer. Received: "
                f"{len(encoded.decode_context)} questions, each with an answer."
            )
        return self._tune(encoded)

    @typing.overload
    def predict(
        self, pairs: dict[str, str], show_progress_bar: bool = False
    ) -> dict[str, typing.Any]: ...

    @typing.overload
    def predict(
        self, pairs: typing.Any, show_progress_bar: bool = False
    ) -> list[dict[str, typing.Any]]: ...

    @one_or_many
    def predict(
        self, pairs: typing.Any, show_progress_bar: bool = False
    ) -> typing.Any:
        """Answer questions.

        Args:
            pairs: list of (question, context) pairs. Also dicts or columns with
                the keys `question` and `context`. The list may be empty.
            show_progress_bar: whether to show Keras's progress bar.

        Returns:
            A list with a dict for each pair, or a single dict if `pairs` is a
            dict of str. The keys are `answer` (str); `start` and `end` (int),
            its character offsets in the context; `score` (float), the sum of
            its start and end logits; and `probability` (float), the softmax of
            the scores of the best answers. If there is no answer, `answer` is
            "", and `start` and `end` are 0.
        """
        return self._compute_predictions(pairs, show_progress_bar)

    def answers(
        self,
        questions: typing.Any,
        n_best_size: int = 20,
        max_answer_length: int = 30,
    ) -> dict[str, typing.Any]:
        """Find the best answers to each question, for `write_squad_files`.

        Args:
            questions: questions in the format of `fit`.
            n_best_size: number of answers per question.
            max_answer_length: maximum number of tokens of an answer.

        Returns:
            A dict mapping question ids to `Answers`.
        """
        encoded = self._labelled(questions)
        logits = self._logits(encoded)
        return row_answers(encoded, logits, n_best_size, max_answer_length)

    @contextlib.contextmanager
    def _training(self, examples, held_out):
        check_spans(examples)
        is_any_impossible = has_impossible(questions_of(examples))
        self.settings["has_impossible"] = is_any_impossible
        self.null_threshold = 0.0 if is_any_impossible else None
        yield examples, held_out
        is_tuned = is_any_impossible and held_out is not None
        if is_tuned and has_impossible(questions_of(held_out)):
            self._tune(held_out)

    @property
    def _ensemble_settings(self):
        tokenizer = self.preprocess.tokenizer
        return {
            "vocabulary": tokenizer.vocabulary.sha256,
            **identifying_settings(tokenizer.settings),
            **dataclasses.asdict(self.preprocess.sizes),
        }

    def _postprocess(self, outputs, inputs, questions, contexts):
        """Select the best answer over all windows of a context.

        `outputs` has a row for each window. If there is no answer, `answer`
        is "", and `start` and `end` are 0.
        """
        cls_positions = None
        if self.preprocess.sizes.context_first:
            lengths = tf.reduce_sum(inputs[features.INPUT_MASK.name], axis=1)
            cls_positions = lengths - 1
        start, end, score = window_answers(
            tf.stack([outputs["start_logits"], outputs["end_logits"]], axis=-1),
            inputs[TOKEN_STARTS],
            inputs[TOKEN_ENDS],
            inputs[IS_OWNED],
            inputs[QUESTIONS],
            tf.size(questions),
            self.null_threshold,
            cls_positions=cls_positions,
        )
        return {
            "answer": tf.strings.substr(contexts, start, end - start),
            "start": start,
            "end": end,
            "score": score,
        }

    def _tune(self, encoded):
        metrics = self.outputs.metrics(encoded, self._logits(encoded))
        self.null_threshold = metrics["best_f1_thresh"]
        return self.null_threshold
