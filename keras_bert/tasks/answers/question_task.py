"""A task on questions with their contexts, in windows of a length."""

from keras_bert.tasks.answers.answer_windows import WindowSizes
from keras_bert.tasks.answers.question_preprocessor import IS_OWNED
from keras_bert.tasks.answers.question_preprocessor import QUESTIONS
from keras_bert.tasks.answers.question_preprocessor import TOKEN_ENDS
from keras_bert.tasks.answers.question_preprocessor import TOKEN_STARTS
from keras_bert.tasks.answers.question_preprocessor import QuestionPreprocessor
from keras_bert.tasks.answers.window_answers import window_answers
from keras_bert.tasks.fine_tuning.fine_tuned_task import FineTunedTask

_SEQ_LENGTH = 384
_DOC_STRIDE = 128
_MAX_QUERY_LENGTH = 64


class QuestionTask(FineTunedTask):
    """Two logits at each token: that the answer begins or ends there.

    Args:
        pretrained: `PretrainedModel`.
        seq_length: int, tokens of a question with a window of its context,
            special ones included; by default as trained, or else 384, or the
            model's limit if that is less.
        doc_stride: int, tokens from the start of a window to that of the
            next; by default as trained, or else 128.
        max_query_length: int, most tokens of a question; by default as
            trained, or else 64, or half of `seq_length` if that is less.
    """

    head = "span_classifier"
    text_inputs = ("question", "context")
    outputs = ("answer", "start", "end", "score")
    substring_outputs = ("answer",)

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
