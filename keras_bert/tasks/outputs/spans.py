"""Task output for answer spans in a context."""

import itertools

import numpy as np

from keras_bert.losses.cross_entropy import SpanCrossEntropy
from keras_bert.losses.soft_loss import SoftSpanLoss
from keras_bert.tasks.inputs.question_rows import padded
from keras_bert.tasks.inputs.question_rows import questions_of
from keras_bert.tasks.outputs.answer_spans import decode_answers
from keras_bert.tasks.outputs.answer_spans import plain_answer
from keras_bert.tasks.outputs.outputs import Outputs
from keras_bert.tasks.outputs.squad_scores import answer_metrics
from keras_bert.tasks.outputs.squad_scores import is_one_answer
from keras_bert.tasks.outputs.squad_scores import question_metrics
from keras_bert.tasks.readers.squad import has_impossible


class Spans(Outputs):
    """Output that predicts an answer span or "no answer".

    Args:
        settings: dict with `null_threshold`.
    """

    head = "span_classifier"
    num_outputs = 2
    num_probes = 100
    names = ("answer", "start", "end", "score")
    main_metric = "f1"

    def __init__(self, settings):
        self.settings = settings

    @property
    def null_threshold(self):
        return self.settings["null_threshold"]

    def targets(self, labels, class_weights):
        return labels, None

    def loss(self, label_smoothing):
        # Skipped questions have weight 0.
        return SpanCrossEntropy(
            label_smoothing, reduction="mean_with_sample_weight"
        )

    def soft_loss(self, temperature):
        return SoftSpanLoss(temperature)

    def loss_arguments(self, encoded, logits):
        logits = padded([*itertools.chain.from_iterable(logits)])
        is_known = encoded.weights > 0
        logits = np.moveaxis(logits, 0, -1)
        weights = encoded.weights[is_known]
        return encoded.targets[is_known], logits[is_known], weights

    def metric_names(self, encoded):
        samples = {q.is_impossible: q for q in questions_of(encoded)}.values()
        empty = dict.fromkeys((q.id for q in samples), "")
        numbers = dict.fromkeys(empty, 0.0) if has_impossible(samples) else None
        return [*question_metrics([*samples], empty, numbers)]

    def metrics(self, encoded, logits):
        answers = row_answers(encoded, logits)
        return answer_metrics(
            questions_of(encoded), answers, self.null_threshold
        )

    def is_constant(self, encoded, logits):
        answers = row_answers(encoded, logits)
        return is_one_answer(
            questions_of(encoded), answers, self.null_threshold
        )

    def decode(self, encoded, logits):
        answers = row_answers(encoded, logits)
        return [
            plain_answer(q.context, answers[q.id], self.null_threshold)
            for q in questions_of(encoded)
        ]

    def graph(self, logits, inputs):
        """Return the start and end logits in a TensorFlow graph.

        Returns:
            A dict with `start_logits` and `end_logits`, float32 `(batch_size,
            seq_length)`.
        """
        return {"start_logits": logits[..., 0], "end_logits": logits[..., 1]}


def row_answers(encoded, logits, n_best_size=20, max_answer_length=30):
    """Decode the logits of questions into answers.

    Args:
        encoded: `Encoded`, as returned by `question_rows`.
        logits: list with a list of window logits for each question, as
            returned by `Questions.join`.
        n_best_size, max_answer_length: int, see `decode_answers`.

    Returns:
        A dict mapping question ids to `Answers`.
    """
    return {
        item.question.id: decode_answers(
            item.question.context,
            *item.token_spans,
            item.windows,
            *padded(windows),
            n_best_size=n_best_size,
            max_answer_length=max_answer_length,
        )
        for item, windows in zip(encoded.decode_context, logits, strict=True)
    }
