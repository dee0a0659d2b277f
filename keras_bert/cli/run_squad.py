"""Fine-tune a model for question answering (SQuAD).

    keras-bert run_squad --init_dir=bert-base-uncased \\
        --train_file=train-v1.1.json --predict_file=dev-v1.1.json \\
        --output_dir=runs/squad

The model is trained on --train_file and evaluated on --predict_file; one of
them is enough. Files are in SQuAD's JSON format. If the training file has
unanswerable questions, as in version 2.0, the model learns to predict no
answer. The best epoch and the no-answer threshold are chosen on --dev_file.

The output directory contains the model; eval.json, with the official SQuAD
scores and the calibration; the wrong answers, sorted by F1 and confidence; and
the training curve (metrics.jsonl and TensorBoard). For --predict_file, or else
the dev split, it has the files of google-research/bert: predictions.json,
nbest_predictions.json and null_odds.json. --seeds=5 and --search=paper train
several times and keep the best. --ensemble_dirs predicts with several trained
models. See docs/question_answering.md.
"""

import functools

from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.cli import shared_flags
from keras_bert.cli.fine_tuning.run_flags import RunFlags
from keras_bert.cli.splits.splits import squad_splits

PROGRAM = command_line.Program(
    __doc__, shared_flags.predict_command("questions.json")
)

_RUN = RunFlags(PROGRAM)
_TRAIN_FILE = PROGRAM.optional("train_file", "SQuAD file for training.")
_DEV_FILE = PROGRAM.optional(
    "dev_file",
    "SQuAD file to select the best epoch; by default --predict_file, or "
    "a tenth of the contexts in --train_file.",
)
_PREDICT_FILE = PROGRAM.optional("predict_file", "SQuAD file to predict.")
_ENSEMBLE_DIRS = PROGRAM.list(
    "ensemble_dirs",
    [],
    "Trained models that form an ensemble with --init_dir, "
    "comma-separated; the mean of their logits is used.",
)
_DOC_STRIDE = PROGRAM.integer(
    "doc_stride",
    None,
    "Number of tokens between window starts; by default the value used "
    "in training, or 128.",
    lower_bound=1,
)
_MAX_QUERY_LENGTH = PROGRAM.integer(
    "max_query_length",
    None,
    "Maximum number of tokens in a question; by default the value used "
    "in training, or 64.",
    lower_bound=1,
)
_N_BEST_SIZE = PROGRAM.integer(
    "n_best_size",
    20,
    "Number of answers per question in nbest_predictions.json.",
    lower_bound=1,
)
_MAX_ANSWER_LENGTH = PROGRAM.integer(
    "max_answer_length",
    30,
    "Maximum number of tokens in an answer.",
    lower_bound=1,
)
_NULL_SCORE_DIFF_THRESHOLD = PROGRAM.float(
    "null_score_diff_threshold",
    None,
    "Predict no answer if its score exceeds the score of the best "
    "answer by more than this; by default the value chosen in training, "
    "or 0 after training with unanswerable questions.",
)


def main():
    _check()
    files = [_TRAIN_FILE.value, _DEV_FILE.value, _PREDICT_FILE.value]
    for directory in _ENSEMBLE_DIRS.value:
        check_input(directory)
    read = functools.partial(squad_splits, *files)
    _RUN.run([*files, *_ENSEMBLE_DIRS.value], read, _make)


def _make(splits, arguments):
    # Imported late, so that --help is fast.
    from keras_bert.cli.fine_tuning.squad_run import SquadRun

    lengths = {
        "doc_stride": _DOC_STRIDE.value,
        "max_query_length": _MAX_QUERY_LENGTH.value,
    }
    return SquadRun(
        splits,
        {**arguments, **lengths},
        _NULL_SCORE_DIFF_THRESHOLD.value,
        _ENSEMBLE_DIRS.value,
        n_best_size=_N_BEST_SIZE.value,
        max_answer_length=_MAX_ANSWER_LENGTH.value,
    )


def _check():
    if _TRAIN_FILE.value:
        command_line.reject(
            "cannot be combined with --train_file", _ENSEMBLE_DIRS
        )
        return
    if not _PREDICT_FILE.value:
        raise ValueError(
            "--train_file or --predict_file must be given. Received: neither."
        )
    command_line.reject("requires --train_file", _DEV_FILE)
    _RUN.reject_training("requires --train_file")
