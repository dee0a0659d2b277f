"""A whole fine-tuning on files of SQuAD, and the files it leaves."""

from keras_bert.checkpoints import from_pretrained
from keras_bert.tasks.answers.answer_report import answer_report
from keras_bert.tasks.answers.squad_files import write_squad_files
from keras_bert.tasks.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.tasks.question_answerer import QuestionAnswerer


class SquadRun(FineTuningRun):
    """Learns to answer; the files of answers are those to the last split.

    Args:
        splits: `Splits` of lists of `SquadQuestion`.
        arguments: dict, of `from_pretrained`.
        null_threshold: float, from which score on no answer is the better
            answer; None for the one of the model.
        **sizes: `n_best_size` and `max_answer_length`, as of
            `QuestionAnswerer.answers`.
    """

    def __init__(self, splits, arguments, null_threshold=None, **sizes):
        super().__init__(splits, arguments)
        self._null_threshold = null_threshold
        self._sizes = sizes

    def make(self):
        arguments = {**self.arguments}
        directory = arguments.pop("directory")
        lowercase = arguments.pop("lowercase")
        bert = from_pretrained(directory, lowercase=lowercase)
        task = bert.task and bert.task.task
        if self.splits.train is None and task != QuestionAnswerer.__name__:
            raise ValueError(
                "--init_dir must hold a model that is trained to answer "
                "questions, or --train_file must be given to train it. "
                f"Received: --init_dir={directory}, a model of "
                f"{f'the task {task}' if task else 'no task'}."
            )
        return QuestionAnswerer(bert, **arguments)

    def finish(self, task):
        if self._null_threshold is not None:
            task.null_threshold = self._null_threshold

    def labelled(self, data):
        return (data,)

    def answer(self, task, split, data, directory):
        answers = task.answers(data, **self._sizes)
        if data is self.splits.all()[-1]:
            write_squad_files(directory, answers, task.null_threshold)
        return answer_report(data, answers, task.null_threshold)
