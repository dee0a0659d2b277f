"""Fine-tunes a model on SQuAD and answers its questions.

    python tools/run_squad.py --init_dir=bert-base-uncased \\
        --train_file=train-v1.1.json --predict_file=dev-v1.1.json \\
        --output_dir=runs/squad

--train_file trains, --predict_file answers and scores; one of them will do.
Files are of SQuAD's own JSON. Where some questions of the training file are
impossible, as in version 2.0, the model learns to give no answer. The output
directory gets `model`, if there was training, and of the answers what
google-research/bert writes: predictions.json, nbest_predictions.json and
null_odds.json; and eval.json with the scores of SQuAD's own programs.
"""

import dataclasses

from absl import flags
from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert import outputs
from keras_bert.checkpoints.layout import check_input
from keras_bert.tasks.fine_tuning.recipe_flags import RecipeFlags
from keras_bert.training import choices

_RECIPE = RecipeFlags()
_INIT_DIR = flags.DEFINE_string(
    "init_dir", None, "Checkpoint directory to start from.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Directory of the results; new or empty.", required=True
)
_TRAIN_FILE = flags.DEFINE_string("train_file", None, "SQuAD file to learn.")
_PREDICT_FILE = flags.DEFINE_string("predict_file", None, "One to answer.")
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length",
    None,
    "Tokens of a question with a window of its context; by default as "
    "trained, or else 384, or the model's limit if that is less.",
    lower_bound=1,
)
_DOC_STRIDE = flags.DEFINE_integer(
    "doc_stride",
    None,
    "Tokens from window to window; by default as trained, or else 128.",
    lower_bound=1,
)
_MAX_QUERY_LENGTH = flags.DEFINE_integer(
    "max_query_length",
    None,
    "Most tokens of a question; by default as trained, or else 64.",
    lower_bound=1,
)
_N_BEST_SIZE = flags.DEFINE_integer(
    "n_best_size", 20, "Answers in nbest_predictions.json.", lower_bound=1
)
_MAX_ANSWER_LENGTH = flags.DEFINE_integer(
    "max_answer_length", 30, "Most tokens of an answer.", lower_bound=1
)
_NULL_SCORE_DIFF_THRESHOLD = flags.DEFINE_float(
    "null_score_diff_threshold",
    None,
    "No answer is given where that scores better than the best answer by "
    "more; by default as trained, or 0 if the model is trained to do so.",
)
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", None, "Lower-case texts, where no file says whether to."
)
_PRECISION = flags.DEFINE_enum(
    "precision",
    "auto",
    choices.PRECISIONS,
    "Of the matrix products; auto is mixed_bfloat16 where the hardware has it.",
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)


def main():
    recipe = _RECIPE.recipe()
    # Imported late, so that the manual is there at once.
    import keras

    from keras_bert.tasks.answers import squad_run
    from keras_bert.training.precision import dtype_policy

    train_file, predict_file = _TRAIN_FILE.value, _PREDICT_FILE.value
    questions = _questions()
    keras.config.set_dtype_policy(dtype_policy(_PRECISION.value))
    keras.utils.set_random_seed(recipe.seed)
    answerer = _answerer()
    if train_file:
        answerer.fit(
            questions[train_file],
            **dataclasses.asdict(recipe),
        )
    if _NULL_SCORE_DIFF_THRESHOLD.value is not None:
        answerer.null_threshold = _NULL_SCORE_DIFF_THRESHOLD.value
    outputs.remove_own(_OUTPUT_DIR.value)
    if train_file:
        squad_run.save_trained(answerer, _OUTPUT_DIR.value)
    if predict_file:
        metrics = squad_run.save_answers(
            answerer,
            questions[predict_file],
            _OUTPUT_DIR.value,
            n_best_size=_N_BEST_SIZE.value,
            max_answer_length=_MAX_ANSWER_LENGTH.value,
        )
        logging.info("Wrote %s: %s.", _OUTPUT_DIR.value, metrics)


def _questions():
    """The questions by their files, once all that is given is checked."""
    files = [path for path in (_TRAIN_FILE.value, _PREDICT_FILE.value) if path]
    if not files:
        raise ValueError(
            "--train_file or --predict_file must be given. Received: neither."
        )
    check_input(_INIT_DIR.value)
    outputs.check_output_directory(
        _OUTPUT_DIR.value, [_INIT_DIR.value, *files], _OVERWRITE.value
    )
    return {path: keras_bert.data.read_squad(path) for path in files}


def _answerer():
    """The model to start from, which must answer if it is not to be trained."""
    bert = keras_bert.from_pretrained(
        _INIT_DIR.value, lowercase=_DO_LOWER_CASE.value
    )
    task = bert.task and bert.task.task
    if not _TRAIN_FILE.value and task != "QuestionAnswerer":
        raise ValueError(
            "--init_dir must hold a model that is trained to answer "
            "questions, or --train_file must be given to train it. Received: "
            f"--init_dir={_INIT_DIR.value}, a model of "
            f"{f'the task {task}' if task else 'no task'}."
        )
    return keras_bert.QuestionAnswerer(
        bert,
        seq_length=_MAX_SEQ_LENGTH.value,
        doc_stride=_DOC_STRIDE.value,
        max_query_length=_MAX_QUERY_LENGTH.value,
    )


if __name__ == "__main__":
    command_line.run(main)
