"""Fine-tuning for question answering on SQuAD files."""

import os

from keras_bert.checkpoints import from_pretrained
from keras_bert.cli.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.cli.fine_tuning.reports import calibration
from keras_bert.cli.fine_tuning.reports import worst_rows
from keras_bert.files.atomic import write_json
from keras_bert.tasks.ensemble import Ensemble
from keras_bert.tasks.outputs.answer_spans import n_best
from keras_bert.tasks.outputs.answer_spans import plain_answer
from keras_bert.tasks.outputs.squad_scores import answer_metrics
from keras_bert.tasks.outputs.squad_scores import question_scores
from keras_bert.tasks.question_answerer import QuestionAnswerer


class SquadRun(FineTuningRun):
    """Fine-tuning run for question answering.

    The predictions for the last split are written in SQuAD's format.

    Args:
        splits: `Splits` of lists of `SquadQuestion`.
        arguments: dict of arguments of `from_pretrained`.
        null_threshold: float, the score above which a question counts as
            unanswerable; None for the threshold of the model.
        others: list of str, directories of further trained models that form
            an ensemble with the first one.
        **sizes: `n_best_size` and `max_answer_length` of `decode_answers`.
    """

    def __init__(
        self, splits, arguments, null_threshold=None, others=(), **sizes
    ):
        super().__init__(splits, arguments)
        self._null_threshold = null_threshold
        self._others = others
        self._sizes = sizes

    def make(self):
        tasks = [
            self._answerer(**{**self.arguments, "directory": directory})
            for directory in [self.arguments["directory"], *self._others]
        ]
        return Ensemble(tasks) if self._others else tasks[0]

    def _answerer(self, directory, lowercase, **arguments):
        bert = from_pretrained(directory, lowercase=lowercase)
        task = bert.task and bert.task.task
        if self.splits.train is None and task != QuestionAnswerer.__name__:
            received = f"the task {task}" if task else "no task"
            raise ValueError(
                f"{directory} must contain a model for question answering, or "
                "--train_file must be given to train it. Received: a model "
                f"with {received}."
            )
        return QuestionAnswerer(bert, **arguments)

    def finish(self, task):
        if self._null_threshold is not None:
            task.null_threshold = self._null_threshold

    def answer(self, task, split, data, directory):
        answers = task.answers(data, **self._sizes)
        if self.is_last(data):
            write_squad_files(directory, answers, task.null_threshold)
        return answer_report(data, answers, task.null_threshold)


def answer_report(questions, answers, null_threshold):
    """Evaluate a question answering model.

    Args:
        questions: list of `SquadQuestion`.
        answers: dict mapping question ids to `Answers`.
        null_threshold: float or None, as in `answer_metrics`.

    Returns:
        A tuple `(report, mistakes)`: a JSON-serializable dict with `scores`,
        `null_threshold` and the `calibration` of exact matches; and a list of
        dicts with the questions without an exact match, sorted by increasing
        F1 and decreasing confidence.
    """
    given = {
        q.id: plain_answer(q.context, answers[q.id], null_threshold)
        for q in questions
    }
    texts = {name: answer["answer"] for name, answer in given.items()}
    exact, f1 = question_scores(questions, texts)
    confidences = [given[q.id]["probability"] for q in questions]
    report = {
        "scores": answer_metrics(questions, answers, null_threshold),
        "null_threshold": null_threshold,
        "calibration": calibration(confidences, exact == 1),
    }
    mistakes = worst_rows(
        exact != 1,
        confidences,
        place=[q.id for q in questions],
        f1=f1.tolist(),
        answers=[[*dict.fromkeys(x for x, _ in q.answers)] for q in questions],
        prediction=[texts[q.id] for q in questions],
        probability=confidences,
        question=[q.question for q in questions],
        context=[q.context for q in questions],
    )
    return report, sorted(mistakes, key=lambda x: x["f1"])


def write_squad_files(directory, answers, null_threshold=None):
    """Write predictions in the format of the official SQuAD scripts.

    `predictions.json` contains the answer to each question, and
    `nbest_predictions.json` the best answers with their probabilities. With a
    threshold, "no answer" is one of them, and `null_odds.json` contains the
    score of "no answer" minus the score of the best answer.

    Args:
        directory: str, an existing directory.
        answers: dict mapping question ids to `Answers`.
        null_threshold: float, difference of scores above which a question
            counts as unanswerable. None for SQuAD 1.1, where every question
            has an answer.
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
    files = {"predictions": predictions, "nbest_predictions": best}
    if null_threshold is not None:
        files["null_odds"] = null_odds
    for name, values in files.items():
        path = os.path.join(directory, f"{name}.json")
        write_json(path, values, indent=4)
