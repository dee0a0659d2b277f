"""Questions to the places of their answers in a text."""

import dataclasses

import numpy as np

from keras_bert import arguments
from keras_bert.data.labelled.squad import has_impossible
from keras_bert.tasks.answers.answer_spans import plain_answer
from keras_bert.tasks.answers.answer_windows import WindowSizes
from keras_bert.tasks.answers.question_preprocessor import IS_OWNED
from keras_bert.tasks.answers.question_preprocessor import QUESTIONS
from keras_bert.tasks.answers.question_preprocessor import TOKEN_ENDS
from keras_bert.tasks.answers.question_preprocessor import TOKEN_STARTS
from keras_bert.tasks.answers.question_preprocessor import QuestionPreprocessor
from keras_bert.tasks.answers.question_preprocessor import window_answers
from keras_bert.tasks.answers.question_rows import asked_questions
from keras_bert.tasks.answers.question_rows import by_questions
from keras_bert.tasks.answers.question_rows import check_spans
from keras_bert.tasks.answers.question_rows import each_window
from keras_bert.tasks.answers.question_rows import labelled_questions
from keras_bert.tasks.answers.question_rows import question_rows
from keras_bert.tasks.answers.question_rows import questions_of
from keras_bert.tasks.answers.question_rows import row_answers
from keras_bert.tasks.answers.question_rows import window_logits
from keras_bert.tasks.answers.question_rows import with_spans
from keras_bert.tasks.answers.squad_scores import answer_metrics
from keras_bert.tasks.answers.squad_scores import is_one_answer
from keras_bert.tasks.answers.squad_scores import question_metrics
from keras_bert.tasks.fine_tuning.collapse import probe_indices
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.encoded import token_targets
from keras_bert.tasks.fine_tuning.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.fine_tuning.teaching import SoftSpanLoss
from keras_bert.text.tokenizer_settings import identifying_settings
from keras_bert.training.cross_entropy import SpanCrossEntropy

_SEQ_LENGTH = 384
_DOC_STRIDE = 128
_MAX_QUERY_LENGTH = 64
# So many questions show whether training went well.
_NUM_LOOKED_AT = 100


class QuestionAnswerer(FineTunedTask):
    """Finds the answer to a question in a text, its context.

    Contexts of any length are read in windows that overlap.

    Args:
        pretrained: `PretrainedModel`, of an encoder or fine-tuned for this
            task.
        seq_length: int, tokens of a question with a window of its context,
            special ones included; by default as trained, or else 384, or the
            model's limit if that is less.
        doc_stride: int, tokens from the start of a window to that of the
            next; by default as trained, or else 128.
        max_query_length: int, most tokens of a question; by default as
            trained, or else 64, or half of `seq_length` if that is less.

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

    head = "span_classifier"
    text_inputs = ("question", "context")
    outputs = ("answer", "start", "end", "score")
    substring_outputs = ("answer",)
    main_metric = "f1"
    remedies = (
        f"{FineTunedTask.remedies}; or train first without the questions that "
        "have no answer"
    )

    def __init__(
        self,
        pretrained,
        seq_length=None,
        doc_stride=None,
        max_query_length=None,
    ):
        trained = self._trained_settings(pretrained)
        if seq_length is None:
            limit = pretrained.sequence_length()
            seq_length = trained.get("seq_length", min(_SEQ_LENGTH, limit))
        if doc_stride is None:
            doc_stride = trained.get("doc_stride", _DOC_STRIDE)
        if max_query_length is None:
            max_query_length = trained.get(
                "max_query_length", min(_MAX_QUERY_LENGTH, seq_length // 2)
            )
        settings = {
            "seq_length": pretrained.sequence_length(seq_length),
            "doc_stride": doc_stride,
            "max_query_length": max_query_length,
            "has_impossible": trained.get("has_impossible"),
            "null_threshold": trained.get("null_threshold"),
        }
        super().__init__(pretrained, 2, settings)
        template = self.pretrained.family.template
        self._sizes = WindowSizes(
            settings["seq_length"],
            settings["doc_stride"],
            settings["max_query_length"],
            template.num_special(is_pair=True),
        )
        self.preprocess = QuestionPreprocessor(
            self.pretrained.tokenizer, template, self._sizes
        )

    @property
    def null_threshold(self):
        """From which score on no answer is the better answer, a float.

        It is compared with how much better no answer scores than the best
        answer. None: each question has an answer.
        """
        return self.settings["null_threshold"]

    @null_threshold.setter
    def null_threshold(self, value):
        self.settings["null_threshold"] = value

    @arguments.name_rest(Recipe)
    def fit(
        self,
        questions,
        validation_data=None,
        callbacks=(),
        verbose="auto",
        teacher=None,
        **recipe,
    ):
        """Fine-tune the model.

        If some questions are impossible, the model learns to give no answer.
        The `null_threshold` is then the best one on the validation data, or 0
        without such data. Questions whose answers are not at the given place
        are left out, and a warning counts them.

        Args:
            questions: str, path of a SQuAD file of version 1.1 or 2.0; dict,
                the content of such a file; or list of `SquadQuestion`.
            validation_data: the same. Its questions are answered after each
                epoch, and the weights of the best epoch are kept.
            callbacks: list of Keras callbacks. They can monitor `loss` and,
                with `validation_data`, `val_loss` and the metrics of
                `evaluate`, such as `val_f1`.
            verbose: "auto", 0, 1 or 2, as in `keras.Model.fit`.
            teacher: trained `QuestionAnswerer` of the same vocabulary and
                window sizes, whose logits the model learns to imitate.
            **recipe: the fields of `Recipe`.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: a question or the teacher cannot be used. Nothing is
                trained.
        """
        return self._fit(
            self.recipe(**recipe),
            questions,
            validation_data=validation_data,
            teacher=teacher,
            callbacks=callbacks,
            verbose=verbose,
        )

    def evaluate(self, questions):
        """Compares answers with those that people gave.

        Args:
            questions: as `fit` takes them.

        Returns:
            A dict of the scores of SQuAD's own programs, in percent, as
            returned by `squad_scores`.
        """
        return self.scores(self.labelled(questions))

    def tune_null_threshold(self, questions):
        """Finds and keeps the `null_threshold` that gives the best F1.

        Args:
            questions: as `fit` takes them; some of them impossible.

        Returns:
            float, the threshold.

        Raises:
            ValueError: no question is impossible.
        """
        encoded = self.labelled(questions)
        if not has_impossible(questions_of(encoded)):
            raise ValueError(
                "Some of `questions` must be impossible, to find from which "
                "score on there is no answer. Received: "
                f"{len(encoded.decode_context)} questions, each with an answer."
            )
        return self._tune(encoded)

    @one_or_many
    def predict(self, pairs, show_progress_bar=False):
        """Answers questions.

        Args:
            pairs: list of pairs of str, a question and its context, perhaps
                empty; or dicts or columns with the keys `question` and
                `context`. A single dict of str has a single answer.
            show_progress_bar: bool, whether to show Keras's progress bar.

        Returns:
            A list of dicts, one for each pair: `answer`, str, and its place
            in the context, the characters from `start` to before `end`;
            `score`, float, the sum of its two logits; and `probability`,
            float, among the best answers. Where there is no answer it is ""
            from 0 to 0.
        """
        return self.answered(pairs, show_progress_bar)

    def decode(self, encoded, logits):
        answers = row_answers(encoded, logits)
        return [
            plain_answer(q.context, answers[q.id], self.null_threshold)
            for q in questions_of(encoded)
        ]

    def answers(self, questions, n_best_size=20, max_answer_length=30):
        """Finds the best answers to each question, for `write_squad_files`.

        Args:
            questions: as `fit` takes them.
            n_best_size: int, number of answers to each question.
            max_answer_length: int, most tokens of an answer.

        Returns:
            A dict from the ids of the questions to `Answers`.
        """
        encoded = self.labelled(questions)
        logits = self.logits(encoded)
        return self.answers_of(encoded, logits, n_best_size, max_answer_length)

    def answers_of(self, encoded, logits, n_best_size=20, max_answer_length=30):
        """Makes the answer of `answers` of `logits`.

        :meta private:
        """
        return row_answers(encoded, logits, n_best_size, max_answer_length)

    def encode(self, questions, labels=None, class_weights=None):
        read = asked_questions if labels is None else labelled_questions
        return question_rows(self.preprocess, self._sizes, read(questions))

    def train(self, encoded, held_out, recipe, **fit):
        encoded = with_spans(encoded)
        check_spans(encoded)
        if held_out is not None:
            held_out = with_spans(held_out)
        is_any_impossible = has_impossible(questions_of(encoded))
        self.settings["has_impossible"] = is_any_impossible
        self.null_threshold = 0.0 if is_any_impossible else None
        history = super().train(encoded, held_out, recipe, **fit)
        is_tuned = is_any_impossible and held_out is not None
        if is_tuned and has_impossible(questions_of(held_out)):
            self._tune(held_out)
        return history

    def loss(self, label_smoothing):
        # What is left out has the weight 0.
        return SpanCrossEntropy(
            label_smoothing, reduction="mean_with_sample_weight"
        )

    def teacher_targets(self, encoded, logits):
        pairs = zip(each_window(logits), encoded.rows.lengths, strict=True)
        logits = [window[:length] for window, length in pairs]
        return token_targets(encoded.rows, logits, -np.inf)

    def soft_loss(self, temperature):
        return SoftSpanLoss(temperature)

    @property
    def ensemble_settings(self):
        # Then they cut questions and contexts into the same tokens.
        tokenizer = self.preprocess.tokenizer
        return {
            "vocabulary": tokenizer.vocabulary.sha256,
            **identifying_settings(tokenizer.settings),
            **dataclasses.asdict(self._sizes),
        }

    def logits(self, encoded):
        return by_questions(encoded, self.token_logits(encoded.rows))

    def loss_arguments(self, encoded, logits):
        is_known = encoded.weights > 0
        return encoded.targets[is_known], window_logits(logits)[is_known]

    def metric_names(self, encoded):
        kinds = {q.is_impossible: q for q in questions_of(encoded)}.values()
        empty = dict.fromkeys((q.id for q in kinds), "")
        numbers = dict.fromkeys(empty, 0.0) if has_impossible(kinds) else None
        return [*question_metrics([*kinds], empty, numbers)]

    def metrics(self, encoded, logits):
        return answer_metrics(
            questions_of(encoded),
            row_answers(encoded, logits),
            self.null_threshold,
        )

    def collapse(self, encoded):
        some = probe_indices(len(encoded.counts), _NUM_LOOKED_AT)
        part = encoded.part(some)
        answers = row_answers(part, self.logits(part))
        return is_one_answer(questions_of(part), answers, self.null_threshold)

    def predict_ids(self, inputs):
        """Scores tokens as the first and the last one of the answer, in graph.

        Args:
            inputs: dict of int32 `(batch_size, seq_length)` tensors.

        Returns:
            A dict of `start_logits` and `end_logits`, float32 `(batch_size,
            seq_length)`.
        """
        logits = self.model({name: inputs[name] for name in self.inputs})
        logits = logits["logits"]
        return {"start_logits": logits[..., 0], "end_logits": logits[..., 1]}

    def answers_in_texts(self, outputs, inputs, questions, contexts):
        """Answers questions from all windows of their contexts, in graph.

        `outputs` has a row for each window. Where there is no answer it is ""
        from 0 to 0.

        :meta private:
        """
        import tensorflow as tf

        start, end, score = window_answers(
            tf.stack([outputs["start_logits"], outputs["end_logits"]], axis=-1),
            inputs[TOKEN_STARTS],
            inputs[TOKEN_ENDS],
            inputs[IS_OWNED],
            inputs[QUESTIONS],
            tf.size(questions),
            self.null_threshold,
        )
        return {
            "answer": tf.strings.substr(contexts, start, end - start),
            "start": start,
            "end": end,
            "score": score,
        }

    def _tune(self, encoded):
        self.null_threshold = self.scores(encoded)["best_f1_thresh"]
        return self.null_threshold
