"""Questions to the places of their answers in a text."""

import dataclasses

from keras_bert.data.labelled.squad import has_impossible
from keras_bert.tasks.answers.answer_spans import plain_answer
from keras_bert.tasks.answers.evaluation import answer_metrics
from keras_bert.tasks.answers.evaluation import is_one_answer
from keras_bert.tasks.answers.given_questions import asked_questions
from keras_bert.tasks.answers.given_questions import labelled_questions
from keras_bert.tasks.answers.question_rows import by_questions
from keras_bert.tasks.answers.question_rows import question_rows
from keras_bert.tasks.answers.question_rows import questions_of
from keras_bert.tasks.answers.question_rows import row_answers
from keras_bert.tasks.answers.question_task import QuestionTask
from keras_bert.tasks.answers.span_examples import with_spans
from keras_bert.tasks.fine_tuning.collapse import examples_to_tell
from keras_bert.text.self_told_kind import told_settings
from keras_bert.training.cross_entropy import SpanCrossEntropy

# So many questions show whether training went well.
_NUM_LOOKED_AT = 100


class QuestionAnswerer(QuestionTask):
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

    main_metric = "f1"
    remedies = (
        f"{QuestionTask.remedies}; or train first without the questions that "
        "have no answer"
    )

    def fit(
        self,
        questions,
        validation_data=None,
        callbacks=(),
        verbose="auto",
        **recipe,
    ):
        """Fine-tunes the model.

        If some questions are impossible, the model learns to give no answer,
        from `null_threshold` 0 on, or from the best one on the validation
        data. Questions whose answers are not where the data say are left
        out, and counted by a warning; another warning tells if the model
        then gives the same answer almost always.

        Args:
            questions: str, the path of a file of SQuAD, of version 1.1 or
                2.0; dict, the object that such a file holds; or list of
                `SquadQuestion`.
            validation_data: the same. After each epoch they are answered,
                and the weights of the best epoch are kept.
            callbacks: list of Keras callbacks.
            verbose: as `keras.Model.fit` takes it.
            **recipe: fields of `Recipe`: `epochs`, `batch_size`,
                `learning_rate` and others.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: a question cannot be used; it is named before any
                training.
        """
        return super().fit(
            questions, None, validation_data, None, callbacks, verbose, **recipe
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
                f"{len(encoded.origin)} questions, each with an answer."
            )
        return self._tune(encoded)

    def predict(self, pairs, **options):
        """Answers questions.

        Args:
            pairs: list of pairs of str, a question and its context; it may
                be empty.
            **options: none; `batch_tokens` stands for a batch size.

        Returns:
            A list of dicts, one for each pair: `answer`, str, and its place
            in the context, the characters from `start` to before `end`;
            `score`, float, the sum of its two logits; and `probability`,
            float, among the best answers. Where there is no answer it is ""
            from 0 to 0.
        """
        return self.answered(pairs, options)

    def decode(self, encoded, logits):
        answers = row_answers(encoded, logits)
        return [
            plain_answer(q.context, answers[q.id], self.null_threshold)
            for q in questions_of(encoded)
        ]

    def answers(self, questions, **sizes):
        """Finds the best answers to each question, for `write_squad_files`.

        Args:
            questions: as `fit` takes them.
            **sizes: `n_best_size`, int, and `max_answer_length`, int, as
                `decode_answers` takes them; by default 20 and 30.

        Returns:
            A dict from the ids of the questions to `Answers`.
        """
        encoded = self.labelled(questions)
        return self.answers_of(encoded, self.logits(encoded), **sizes)

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

    @property
    def shared_settings(self):
        # Then they cut questions and contexts into the same tokens.
        tokenizer = self.preprocess.tokenizer
        return {
            "vocabulary": tokenizer.vocabulary.sha256,
            **told_settings(tokenizer.settings),
            **dataclasses.asdict(self._sizes),
        }

    def logits(self, encoded):
        return by_questions(encoded, self.token_logits(encoded.rows))

    def metrics(self, encoded, logits):
        return answer_metrics(
            questions_of(encoded),
            row_answers(encoded, logits),
            self.null_threshold,
        )

    def collapse(self, encoded):
        some = examples_to_tell(len(encoded.counts), _NUM_LOOKED_AT)
        part = encoded.part(some)
        answers = row_answers(part, self.logits(part))
        return is_one_answer(questions_of(part), answers, self.null_threshold)

    def _tune(self, encoded):
        self.null_threshold = self.scores(encoded)["best_f1_thresh"]
        return self.null_threshold
