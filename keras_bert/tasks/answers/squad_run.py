"""What a run over files of SQuAD leaves behind."""

import json
import os
import pathlib

from keras_bert.files import whole_file
from keras_bert.outputs import record_directory
from keras_bert.tasks.answers.evaluation import answer_metrics
from keras_bert.tasks.answers.squad_files import write_squad_files

MODEL = "model"
EVALUATION = "eval.json"


def save_trained(answerer, directory):
    """Writes a trained model into the directory of its run, as `model`.

    Args:
        answerer: `QuestionAnswerer`.
        directory: str, one that `check_output_directory` has let through;
            made if needed.
    """
    answerer.save(os.path.join(directory, MODEL))
    _record(answerer, directory)


def save_answers(answerer, questions, directory, **kwargs):
    """Answers questions; writes the answers and how good they are.

    The files are those of `write_squad_files`, and `eval.json`.

    Args:
        answerer: `QuestionAnswerer`.
        questions: list of `SquadQuestion`.
        directory: str, as of `save_trained`.
        **kwargs: `n_best_size` and `max_answer_length`, as of
            `QuestionAnswerer.answers`.

    Returns:
        A dict of floats and ints, what `eval.json` holds.
    """
    answers = answerer.answers(questions, **kwargs)
    metrics = answer_metrics(questions, answers, answerer.null_threshold)
    os.makedirs(directory, exist_ok=True)
    write_squad_files(directory, answers, answerer.null_threshold)
    with whole_file(os.path.join(directory, EVALUATION)) as temporary:
        text = json.dumps(metrics, indent=2) + "\n"
        pathlib.Path(temporary).write_text(text, encoding="utf-8")
    _record(answerer, directory)
    return metrics


def _record(answerer, directory):
    """So that `--overwrite` knows the files."""
    about = {"task": type(answerer).__name__, "settings": answerer.settings}
    record_directory(directory, about)
