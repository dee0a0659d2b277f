"""The files that google-research/bert's run_squad.py leaves behind."""

import json
import os
import pathlib

from keras_bert.artifacts import whole_file
from keras_bert.tasks.answers.answer_spans import n_best

PREDICTIONS = "predictions.json"
N_BEST = "nbest_predictions.json"
NULL_ODDS = "null_odds.json"


def write_squad_files(directory, answers, null_threshold=None):
    """Writes what a model answers, for SQuAD's own programs.

    `predictions.json` has the text for each question,
    `nbest_predictions.json` its best answers with their probabilities. With a
    threshold, no answer is one of these, and `null_odds.json` has how much
    better it scores than the best answer.

    Args:
        directory: str, one that exists.
        answers: dict from ids to `Answers`.
        null_threshold: float. A question is left without an answer where
            that difference is above it. None, as for SQuAD 1.1: each has an
            answer.
    """
    predictions, best, null_odds = {}, {}, {}
    for name, answer in answers.items():
        spans = answer.spans
        if null_threshold is not None:
            spans = [*spans, answer.null]
            null_odds[name] = answer.null_difference
        predictions[name] = answer.chosen(null_threshold).text
        best[name] = [
            {
                "text": span.text,
                "probability": probability,
                "start_logit": span.start_logit,
                "end_logit": span.end_logit,
            }
            for span, probability in n_best(spans)
        ]
    _write(directory, PREDICTIONS, predictions)
    _write(directory, N_BEST, best)
    if null_threshold is not None:
        _write(directory, NULL_ODDS, null_odds)


def _write(directory, name, values):
    with whole_file(os.path.join(directory, name)) as temporary:
        text = json.dumps(values, indent=4) + "\n"
        pathlib.Path(temporary).write_text(text, encoding="utf-8")
