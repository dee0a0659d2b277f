"""The files that google-research/bert's run_squad.py leaves behind."""

import os

from keras_bert import artifacts
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
    files = {PREDICTIONS: predictions, N_BEST: best}
    if null_threshold is not None:
        files[NULL_ODDS] = null_odds
    for name, values in files.items():
        artifacts.write_json(os.path.join(directory, name), values, indent=4)
