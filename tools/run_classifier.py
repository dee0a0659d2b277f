"""Fine-tunes a model to label texts or pairs of texts, and evaluates it.

    python tools/run_classifier.py --task_name=mrpc --data_dir=glue/MRPC \\
        --init_dir=bert-base-uncased --output_dir=runs/mrpc

    python tools/run_classifier.py --train_file=train.csv --dev_file=dev.csv \\
        --text_column=review --label_column=mood \\
        --init_dir=bert-base-uncased --output_dir=runs/mood

The epoch that is best on the dev split is kept. The output directory holds
the model, eval.json (scores, a table of the labels, the confusion matrix, the
calibration), the mistakes with the most confident first, pictures of these,
the answers to the test split (of GLUE also as the file to submit), and the
curve, metrics.jsonl and for TensorBoard. --seeds=5 trains five times, reports
mean and deviation and keeps the best; --search=paper tries batch sizes 16 and
32, rates 5e-5, 3e-5 and 2e-5, and 2, 3 and 4 epochs.
"""

from absl import flags
from absl import logging

from keras_bert import command_line
from keras_bert.checkpoints.layout import check_input
from keras_bert.data.labelled.split_flags import SplitFlags
from keras_bert.tasks.fine_tuning.recipe_flags import RecipeFlags
from keras_bert.tasks.fine_tuning.recipe_grid import paper_grid
from keras_bert.tasks.fine_tuning.recipe_grid import with_seeds
from keras_bert.tasks.fine_tuning.whole_directory import check_whole_directory
from keras_bert.tasks.fine_tuning.whole_directory import whole_directory
from keras_bert.training import choices

_SPLITS = SplitFlags()
_RECIPE = RecipeFlags()
_INIT_DIR = flags.DEFINE_string(
    "init_dir", None, "Checkpoint to begin with.", required=True
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Where all goes; new or empty.", required=True
)
_REGRESSION = flags.DEFINE_bool(
    "regression",
    False,
    "Labels are numbers to predict; what GLUE's tasks are is known.",
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length",
    None,
    "Longest text or pair in tokens; 128 by default, or the model's limit.",
    lower_bound=3,
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
_SEEDS = flags.DEFINE_integer(
    "seeds", 1, "Seeds to train with, from --random_seed on.", lower_bound=1
)
_SEARCH = flags.DEFINE_enum(
    "search", "none", ["none", "paper"], "Which recipes to try."
)
_OVERWRITE = flags.DEFINE_bool(
    "overwrite", False, "Replace what an earlier run has written."
)


def main():
    recipes = _recipes()
    _SPLITS.check()
    check_input(_INIT_DIR.value)
    check_whole_directory(
        _OUTPUT_DIR.value,
        [_INIT_DIR.value, *_SPLITS.paths()],
        _OVERWRITE.value,
    )
    splits = _SPLITS.read(recipes[0].seed)
    if splits.glue:
        command_line.refuse(_REGRESSION, "is for data other than GLUE")
    # Imported late, so that the manual is there at once.
    import keras

    from keras_bert.tasks.fine_tuning.classification_run import (
        ClassificationRun,
    )
    from keras_bert.training.precision import dtype_policy

    keras.config.set_dtype_policy(dtype_policy(_PRECISION.value))
    run = ClassificationRun(
        splits,
        _INIT_DIR.value,
        splits.glue.is_regression if splits.glue else _REGRESSION.value,
        {
            "seq_length": _MAX_SEQ_LENGTH.value,
            "lowercase": _DO_LOWER_CASE.value,
        },
    )
    flags_given = command_line.own_flags()
    with whole_directory(_OUTPUT_DIR.value, {"flags": flags_given}) as place:
        task, search = run.train(recipes, place)
        scores = run.write(task, {"search": search}, place)
    for split, values in scores.items():
        logging.info("%s: %s", split, values)


def _recipes():
    """The recipes to try."""
    recipes = [_RECIPE.recipe()]
    if _SEARCH.value == "paper":
        for field in ("batch_size", "learning_rate", "epochs"):
            command_line.refuse(_RECIPE.holder(field), "is what --search tries")
        recipes = paper_grid(recipes[0])
    return [x for recipe in recipes for x in with_seeds(recipe, _SEEDS.value)]


if __name__ == "__main__":
    command_line.run(main)
