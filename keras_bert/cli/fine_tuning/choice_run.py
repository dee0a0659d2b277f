"""Fine-tuning for multiple choice."""

from keras_bert.cli.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.cli.fine_tuning.fine_tuning_run import write_json_lines
from keras_bert.cli.fine_tuning.reports import calibration
from keras_bert.cli.fine_tuning.reports import worst_rows
from keras_bert.tasks.multiple_choice import MultipleChoice


class ChoiceRun(FineTuningRun):
    """Fine-tuning run for multiple choice.

    The splits are lists of `MultipleChoiceExample`. The predictions for the
    last split are written to `predictions.jsonl`.
    """

    task_class = MultipleChoice

    def answer(self, task, split, data, directory):
        encoded = task._encode(data)
        logits = task._logits(encoded)
        if self.is_last(data):
            answers = task.outputs.decode(encoded, logits)
            write_json_lines(directory / "predictions.jsonl", answers)
        if data[0].label is None:
            return None, []
        return choice_report(data, task.outputs.probabilities(logits))


def choice_report(questions, probabilities):
    """Evaluate a multiple-choice model.

    Args:
        questions: list of `MultipleChoiceExample` with labels.
        probabilities: float array `(num_questions, num_choices)`.

    Returns:
        A tuple `(report, mistakes)`: a JSON-serializable dict with `scores` and
        `calibration`, and a list of dicts with the wrong predictions, sorted
        by decreasing confidence.
    """
    best, confidences = probabilities.argmax(1), probabilities.max(1)
    labels = [question.label for question in questions]
    is_right = best == labels
    report = {
        "scores": {"accuracy": float(is_right.mean())},
        "calibration": calibration(confidences, is_right),
    }
    return report, worst_rows(
        ~is_right,
        confidences,
        place=[question.where for question in questions],
        label=labels,
        prediction=best.tolist(),
        probability=confidences.tolist(),
        context=[question.context for question in questions],
        choices=[list(question.choices) for question in questions],
    )
