"""Fine-tune a model to classify texts or pairs of texts.

    keras-bert run_classifier --task_name=mrpc --data_dir=glue/MRPC \\
        --init_dir=bert-base-uncased --output_dir=runs/mrpc

    keras-bert run_classifier --train_file=train.csv --dev_file=dev.csv \\
        --text_column=review --label_column=mood \\
        --init_dir=bert-base-uncased --output_dir=runs/mood

The best epoch on the dev split is kept. The output directory contains the
model, eval.json (scores, metrics of each label, confusion matrix, calibration),
the wrong predictions sorted by confidence, the predictions for the test split,
and the training curve (metrics.jsonl and TensorBoard). --seeds=5 trains five
times, reports mean and standard deviation and keeps the best; --search=paper
tries batch sizes 16 and 32, learning rates 5e-5, 3e-5 and 2e-5, and 2, 3 and 4
epochs. See docs/classification.md.
"""

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.fine_tuning.run_flags import RunFlags
from keras_bert.cli.splits.split_flags import SplitFlags

PROGRAM = command_line.Program(
    __doc__, shared_flags.predict_command("texts.txt")
)

_SPLITS = SplitFlags(PROGRAM)
_RUN = RunFlags(PROGRAM)
_REGRESSION = PROGRAM.bool(
    "regression",
    False,
    "Predict numbers instead of classes; not needed for GLUE.",
)
_TRUNCATION = PROGRAM.enum(
    "truncation",
    None,
    ["head", "tail", "head_tail"],
    "Part of long texts to keep; by default the value used in training, "
    "or head.",
)
_WINDOWS = PROGRAM.enum(
    "windows",
    None,
    ["mean", "max"],
    "Split long single texts into windows instead, and pool the logits "
    "of the windows this way.",
)
_NEW_HEAD = shared_flags.new_head(PROGRAM)


def main():
    command_line.check_exclusive(_TRUNCATION, _WINDOWS)
    files, read = _SPLITS.reader()
    if _SPLITS.label_separator.value:
        command_line.reject(
            "cannot be combined with --label_separator", _REGRESSION
        )
    if _SPLITS.task_name.value:
        command_line.reject("does not apply to GLUE", _REGRESSION)
    _RUN.run(files, read, _make)


def _make(splits, arguments):
    # Imported late, so that --help is fast.
    from keras_bert.cli.fine_tuning.classification_run import ClassificationRun

    is_regression = _REGRESSION.value
    if splits.glue:
        is_regression = splits.glue.is_regression
    if is_regression:
        command_line.reject("does not apply to regression", _NEW_HEAD)
    else:
        arguments["new_head"] = _NEW_HEAD.value
    ways = {"truncation": _TRUNCATION.value, "windows": _WINDOWS.value}
    return ClassificationRun(splits, {**arguments, **ways}, is_regression)
