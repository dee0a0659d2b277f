"""A whole fine-tuning on files of SQuAD, and the files it leaves."""

from keras_bert.checkpoints import from_pretrained
from keras_bert.tasks.answers.answer_report import answer_report
from keras_bert.tasks.answers.squad_files import write_squad_files
from keras_bert.tasks.ensemble import Ensemble
from keras_bert.tasks.fine_tuning.fine_tuning_run import FineTuningRun
from keras_bert.tasks.question_answerer import QuestionAnswerer


class SquadRun(FineTuningRun):
    """Learns to answer; the files of answers are those to the last split.

    Args:
        splits: `Splits` of lists of `SquadQuestion`.
        arguments: dict, of `from_pretrained`.
        null_threshold: float, from which score on no answer is the better
            answer; None for the one of the model.
        others: list of str, directories of models that answer together with
            the first, if nothing is learned.
        **sizes: `n_best_size` and `max_answer_length`, as of
            `QuestionAnswerer.answers`.
    """

    def __init__(
        self, splits, arguments, null_threshold=None, others=(), **sizes
    ):
        super().__init__(splits, arguments)
        self._null_threshold = null_threshold
        self._others = others
        self._sizes = sizes

    def make(self):
        arguments = {**self.arguments}
        directories = [arguments.pop("directory"), *self._others]
        lowercase = arguments.pop("lowercase")
        tasks = [
            self._answerer(directory, lowercase, arguments)
            for directory in directories
        ]
        return Ensemble(tasks) if self._others else tasks[0]

    def _answerer(self, directory, lowercase, arguments):
        bert = from_pretrained(directory, lowercase=lowercase)
        task = bert.task and bert.task.task
        if self.splits.train is None and task != QuestionAnswerer.__name__:
            received = f"the task {task}" if task else "no task"
            raise ValueError(
                f"{directory} must hold a model that is trained to answer "
                "questions, or --train_file must be given to train it. "
                f"Received: a model of {received}."
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
