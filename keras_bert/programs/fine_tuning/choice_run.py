"""A whole fine-tuning for questions with choices, and the files it leaves."""

import numpy as np

from keras_bert.programs.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.programs.fine_tuning.fine_tuning_run import write_json_lines
from keras_bert.programs.reports.calibration import calibration
from keras_bert.tasks.multiple_choice import MultipleChoice

PREDICTIONS = "predictions.jsonl"


class ChoiceRun(FineTuningRun):
    """Learns to choose; `PREDICTIONS` are those of the last split.

    Args:
        splits: `Splits` of lists of `MultipleChoiceExample`.
        arguments: dict, of `from_pretrained`.
    """

    def make(self):
        return MultipleChoice.from_pretrained(**self.arguments)

    def labelled(self, data):
        return (data,)

    def answer(self, task, split, data, directory):
        asked = task.encode(data)
        logits = task.logits(asked)
        if data is self.splits.all()[-1]:
            answers = task.decode(asked, logits)
            write_json_lines(directory / PREDICTIONS, answers)
        if data[0].label is None:
            return None, []
        return choice_report(data, task.probabilities_of(logits))


def choice_report(questions, probabilities):
    """Lists the scores and the mistakes of a model that chooses.

    Args:
        questions: list of `MultipleChoiceExample` with labels.
        probabilities: float array `(num_questions, num_choices)`.

    Returns:
        A dict for JSON, `scores` and `calibration`; and a list of dicts, the
        questions with a wrong choice, the most confident first.
    """
    best, sure = probabilities.argmax(1), probabilities.max(1)
    is_right = best == [question.label for question in questions]
    wrong = np.flatnonzero(~is_right)
    order = wrong[np.argsort(-sure[wrong], kind="stable")]
    report = {
        "scores": {"accuracy": float(is_right.mean())},
        "calibration": calibration(sure, is_right),
    }
    return report, [
        {
            "place": questions[index].where,
            "label": questions[index].label,
            "prediction": int(best[index]),
            "probability": float(sure[index]),
            "context": questions[index].context,
            "choices": list(questions[index].choices),
        }
        for index in order
    ]
