"""Fine-tuning for questions with choices, with its output files."""

from keras_bert.cli.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.cli.fine_tuning.fine_tuning_run import write_json_lines
from keras_bert.cli.fine_tuning.reports import calibration
from keras_bert.cli.fine_tuning.reports import worst_rows
from keras_bert.tasks.multiple_choice import MultipleChoice


class ChoiceRun(FineTuningRun):
    """Learns to choose; `predictions.jsonl` answers the last split.

    Its splits are lists of `MultipleChoiceExample`.
    """

    task_class = MultipleChoice

    def answer(self, task, split, data, directory):
        asked = task.encode(data)
        logits = task.logits(asked)
        if self.is_last(data):
            answers = task.answer.decode(asked, logits)
            write_json_lines(directory / "predictions.jsonl", answers)
        if data[0].label is None:
            return None, []
        return choice_report(data, task.answer.probabilities(logits))


def choice_report(questions, probabilities):
    """Report on a model that chooses.

    Args:
        questions: list of `MultipleChoiceExample` with labels.
        probabilities: float array `(num_questions, num_choices)`.

    Returns:
        A dict for JSON, `scores` and `calibration`; and a list of dicts, the
        questions with a wrong choice, the most confident first.
    """
    best, sure = probabilities.argmax(1), probabilities.max(1)
    labels = [question.label for question in questions]
    is_right = best == labels
    report = {
        "scores": {"accuracy": float(is_right.mean())},
        "calibration": calibration(sure, is_right),
    }
    return report, worst_rows(
        ~is_right,
        sure,
        place=[question.where for question in questions],
        label=labels,
        prediction=best.tolist(),
        probability=sure.tolist(),
        context=[question.context for question in questions],
        choices=[list(question.choices) for question in questions],
    )
