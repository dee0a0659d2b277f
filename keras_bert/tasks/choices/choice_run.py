"""A whole fine-tuning for questions with choices, and the files it leaves."""

from keras_bert.tasks.choices.choice_report import choice_report
from keras_bert.tasks.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.tasks.fine_tuning.fine_tuning_run import write_json_lines
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
        asked = task.asked(data)
        logits = task.logits(asked)
        if data is self.splits.all()[-1]:
            answers = task.predictions(asked, logits)
            write_json_lines(directory / PREDICTIONS, answers)
        if data[0].label is None:
            return None, []
        return choice_report(data, task.probabilities_of(logits))
