"""Questions to the places of their answers in a text."""

import dataclasses

from keras_bert import arguments
from keras_bert.tasks.answers.question_preprocessor import IS_OWNED
from keras_bert.tasks.answers.question_preprocessor import QUESTIONS
from keras_bert.tasks.answers.question_preprocessor import TOKEN_ENDS
from keras_bert.tasks.answers.question_preprocessor import TOKEN_STARTS
from keras_bert.tasks.answers.question_preprocessor import window_answers
from keras_bert.tasks.answers.question_rows import Questions
from keras_bert.tasks.answers.question_rows import check_spans
from keras_bert.tasks.answers.question_rows import questions_of
from keras_bert.tasks.answers.question_rows import row_answers
from keras_bert.tasks.answers.spans import Spans
from keras_bert.tasks.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.columns import one_or_many
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.labelled.squad import has_impossible
from keras_bert.text.tokenizer_settings import identifying_settings

_DOC_STRIDE = 128
_MAX_QUERY_LENGTH = 64


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

    default_length = 384
    substring_outputs = ("answer",)
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
    def null_threshold(self):
        """Threshold (float) above which a question counts as unanswerable.

        It is compared with the score of no answer, less the score of the best
        answer. None: each question has an answer. Can be assigned.
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
        recipe, fit = self.recipe(**recipe), {"verbose": verbose}
        fit["callbacks"] = callbacks
        return self._fit(recipe, (questions,), validation_data, teacher, **fit)

    def evaluate(self, questions):
        """Compare answers with the answers of people.

        Args:
            questions: as `fit` takes them.

        Returns:
            A dict of the scores of SQuAD's own programs, in percent, as
            returned by `squad_scores`.
        """
        return super().evaluate(questions)

    def tune_null_threshold(self, questions):
        """Find and keep the `null_threshold` that gives the best F1.

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
        """Answer questions.

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

    def answers(self, questions, n_best_size=20, max_answer_length=30):
        """Find the best answers to each question, for `write_squad_files`.

        Args:
            questions: as `fit` takes them.
            n_best_size: int, number of answers to each question.
            max_answer_length: int, most tokens of an answer.

        Returns:
            A dict from the ids of the questions to `Answers`.
        """
        encoded = self.labelled(questions)
        sizes = n_best_size, max_answer_length
        return row_answers(encoded, self.logits(encoded), *sizes)

    def train(self, encoded, held_out, recipe, **fit):
        check_spans(encoded)
        is_any_impossible = has_impossible(questions_of(encoded))
        self.settings["has_impossible"] = is_any_impossible
        self.null_threshold = 0.0 if is_any_impossible else None
        history = super().train(encoded, held_out, recipe, **fit)
        is_tuned = is_any_impossible and held_out is not None
        if is_tuned and has_impossible(questions_of(held_out)):
            self._tune(held_out)
        return history

    @property
    def ensemble_settings(self):
        # Then they cut questions and contexts into the same tokens.
        tokenizer = self.preprocess.tokenizer
        return {
            "vocabulary": tokenizer.vocabulary.sha256,
            **identifying_settings(tokenizer.settings),
            **dataclasses.asdict(self.preprocess.sizes),
        }

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
        metrics = self.answer.metrics(encoded, self.logits(encoded))
        self.null_threshold = metrics["best_f1_thresh"]
        return self.null_threshold
