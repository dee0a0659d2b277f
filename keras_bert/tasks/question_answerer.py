"""Questions to the places of their answers in a text."""

import dataclasses

from keras_bert.data.labelled.squad import has_impossible
from keras_bert.tasks.answers.answer_windows import WindowSizes
from keras_bert.tasks.answers.evaluation import answer_metrics
from keras_bert.tasks.answers.evaluation import warn_if_collapsed
from keras_bert.tasks.answers.given_questions import asked_questions
from keras_bert.tasks.answers.given_questions import labelled_questions
from keras_bert.tasks.answers.plain_answer import plain_answer
from keras_bert.tasks.answers.question_preprocessor import TOKEN_ENDS
from keras_bert.tasks.answers.question_preprocessor import TOKEN_STARTS
from keras_bert.tasks.answers.question_preprocessor import QuestionPreprocessor
from keras_bert.tasks.answers.question_rows import question_rows
from keras_bert.tasks.answers.row_answers import question_logits
from keras_bert.tasks.answers.row_answers import row_answers
from keras_bert.tasks.answers.span_examples import span_examples
from keras_bert.tasks.answers.window_answers import window_answers
from keras_bert.tasks.fine_tuning.fine_tuned_task import FineTunedTask
from keras_bert.tasks.fine_tuning.recipe import Recipe
from keras_bert.tasks.fine_tuning.training import fine_tune
from keras_bert.training.span_cross_entropy import SpanCrossEntropy

_SEQ_LENGTH = 384
_DOC_STRIDE = 128
_MAX_QUERY_LENGTH = 64
# Without validation data, so many questions show whether training went well.
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
    main_metric = "f1"
    text_inputs = ("question", "context")
    outputs = ("answer", "start", "end", "score")

    def __init__(
        self,
        pretrained,
        seq_length=None,
        doc_stride=None,
        max_query_length=None,
    ):
        trained = self.trained_settings(pretrained)
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
            validation_data: likewise. After each epoch they are answered,
                and the weights of the best epoch are kept.
            callbacks: list of Keras callbacks.
            verbose: as of `keras.Model.fit`.
            **recipe: fields of `Recipe`: `epochs`, `batch_size`,
                `learning_rate` and others.

        Returns:
            A Keras `History`.

        Raises:
            ValueError: a question cannot be used; it is named before any
                training.
        """
        recipe = Recipe(**recipe)
        questions = labelled_questions(questions)
        examples = self.examples(questions)
        is_validated = validation_data is not None
        if is_validated:
            looked_at = self._rows(labelled_questions(validation_data))
        else:
            step = max(1, len(questions) // _NUM_LOOKED_AT)
            looked_at = self._rows(questions[::step])
        self.settings["has_impossible"] = has_impossible(questions)
        self.null_threshold = 0.0 if has_impossible(questions) else None
        history = fine_tune(
            self,
            examples,
            recipe,
            (lambda: self.scores(looked_at)) if is_validated else None,
            callbacks,
            verbose=verbose,
        )
        answers = row_answers(looked_at, self.logits(looked_at))
        if (
            is_validated
            and self.null_threshold is not None
            and has_impossible(looked_at.questions)
        ):
            self._tune(looked_at.questions, answers)
        warn_if_collapsed(looked_at.questions, answers, self.null_threshold)
        return history

    def evaluate(self, questions):
        """Compares answers with those that people gave.

        Args:
            questions: as of `fit`.

        Returns:
            A dict of the scores of SQuAD's own programs, in percent, as of
            `squad_scores`.
        """
        return self.scores(self.labelled(questions))

    def tune_null_threshold(self, questions):
        """Finds and keeps the `null_threshold` that gives the best F1.

        Args:
            questions: as of `fit`; some of them impossible.

        Returns:
            float, the threshold.

        Raises:
            ValueError: no question is impossible.
        """
        rows = self.labelled(questions)
        if not has_impossible(rows.questions):
            raise ValueError(
                "Some of `questions` must be impossible, to find from which "
                "score on there is no answer. Received: "
                f"{len(rows.questions)} questions, each with an answer."
            )
        answers = row_answers(rows, self.logits(rows))
        return self._tune(rows.questions, answers)

    def predict(self, pairs):
        """Answers questions.

        Args:
            pairs: list of pairs of str, a question and its context; it may
                be empty.

        Returns:
            A list of dicts, one for each pair: `answer`, str, and its place
            in the context, the characters from `start` to before `end`;
            `score`, float, the sum of its two logits; and `probability`,
            float, among the best answers. Where there is no answer it is ""
            from 0 to 0.
        """
        asked = self.asked(pairs)
        return self.predictions(asked, self.logits(asked))

    def predictions(self, asked, logits):
        answers = row_answers(asked, logits)
        return [
            plain_answer(q.context, answers[q.id], self.null_threshold)
            for q in asked.questions
        ]

    def answers(self, questions, n_best_size=20, max_answer_length=30):
        """The best answers to each question, as `write_squad_files` wants.

        Args:
            questions: as of `fit`.
            n_best_size: int, as of `decode_answers`.
            max_answer_length: int, as of `decode_answers`.

        Returns:
            A dict from the ids of the questions to `Answers`.
        """
        rows = self.labelled(questions)
        return row_answers(
            rows, self.logits(rows), n_best_size, max_answer_length
        )

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

    def predict_texts(self, questions, contexts):
        """Answers questions from the first window of each context, in graph.

        That is what `predict` answers where a question and its context are at
        most `seq_length` tokens long.

        Args:
            questions: string `(batch_size,)`.
            contexts: string `(batch_size,)`.

        Returns:
            A dict of `answer`, string `(batch_size,)`; `start` and `end`,
            int32 `(batch_size,)`, the bytes of the context from which and
            before which it is; and `score`, float32 `(batch_size,)`, the sum
            of its two logits. Where there is no answer it is "" from 0 to 0.
        """
        import tensorflow as tf

        inputs = self.preprocess(questions, contexts)
        logits = self.predict_ids(inputs)
        start, end, score = window_answers(
            tf.stack([logits["start_logits"], logits["end_logits"]], axis=-1),
            inputs[TOKEN_STARTS],
            inputs[TOKEN_ENDS],
            self.null_threshold,
        )
        return {
            "answer": tf.strings.substr(contexts, start, end - start),
            "start": start,
            "end": end,
            "score": score,
        }

    def examples(self, questions):
        """Windows to learn from.

        Args:
            questions: list of `SquadQuestion`.

        Returns:
            `Examples`, with targets as of `SpanCrossEntropy`.
        """
        return span_examples(self._rows(questions))

    def loss(self, label_smoothing):
        # What is left out has the weight 0.
        return SpanCrossEntropy(
            label_smoothing, reduction="mean_with_sample_weight"
        )

    def shared_settings(self):
        # Then they cut questions and contexts into the same tokens.
        tokenizer = self.preprocess.tokenizer
        return {
            "vocabulary": tokenizer.vocabulary.sha256,
            "lowercase": tokenizer.lowercase,
            "strip_accents": tokenizer.strip_accents,
            **dataclasses.asdict(self._sizes),
        }

    def asked(self, pairs):
        return self._rows(asked_questions(pairs))

    def labelled(self, questions, labels=None):
        return self._rows(labelled_questions(questions))

    def logits(self, examples):
        return question_logits(self._forward, examples)

    def metrics(self, labelled, logits):
        answers = row_answers(labelled, logits)
        return answer_metrics(labelled.questions, answers, self.null_threshold)

    def _rows(self, questions):
        return question_rows(self.preprocess, self._sizes, questions)

    def _tune(self, questions, answers):
        metrics = answer_metrics(questions, answers, self.null_threshold)
        self.null_threshold = metrics["best_f1_thresh"]
        return self.null_threshold
