"""Fine-tunes a model to tag words, such as the names in a text.

    python tools/run_tagger.py --train_file=train.conll --dev_file=dev.conll \\
        --test_file=test.conll --init_dir=bert-base-cased --output_dir=tagger

Files hold a word and its tag a line and a blank line between sentences, as
those of CoNLL. The model of the epoch that is best on --dev_file goes to
--output_dir; beside it stand eval.json, with the scores on --dev_file and
--test_file, and predictions.conll: the words of --test_file, or else of
--dev_file, their tags and what was predicted. See docs/tagging.md.
"""

import dataclasses

from absl import flags

import keras_bert
from keras_bert import command_line
from keras_bert.data.labelled.conll import conll_text
from keras_bert.data.labelled.conll import read_conll
from keras_bert.tasks.fine_tuning.recipe_flags import RecipeFlags
from keras_bert.training import choices

_PREDICTIONS = "predictions.conll"

_RECIPE = RecipeFlags()
_TRAIN_FILE = flags.DEFINE_string(
    "train_file", None, "Sentences to learn from.", required=True
)
_DEV_FILE = flags.DEFINE_string(
    "dev_file",
    None,
    "Likewise, to tell which epoch is the best.",
    required=True,
)
_TEST_FILE = flags.DEFINE_string(
    "test_file", None, "Sentences to tag after training."
)
_INIT_DIR = flags.DEFINE_string(
    "init_dir",
    None,
    "Directory or name on the Hub to start from.",
    required=True,
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir", None, "Where the model goes; made if needed.", required=True
)
_TAG_COLUMN = flags.DEFINE_integer(
    "tag_column", -1, "Column of the tags, from 0; from the end if negative."
)
_DO_LOWER_CASE = flags.DEFINE_bool(
    "do_lower_case", None, "Lower-case texts, where no file says whether to."
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length",
    None,
    "Longest window in tokens; by default 128 or the model's limit.",
    lower_bound=4,
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

    from keras_bert.tasks.fine_tuning import run_files
    from keras_bert.training.precision import dtype_policy

    paths = [_TRAIN_FILE.value, _DEV_FILE.value]
    paths.append(_TEST_FILE.value or _DEV_FILE.value)
    run_files.check_run_files(
        _INIT_DIR.value,
        _OUTPUT_DIR.value,
        [run_files.EVALUATION, _PREDICTIONS],
        paths,
        _OVERWRITE.value,
    )
    train, dev, test = (read_conll(x, _TAG_COLUMN.value) for x in paths)
    keras.config.set_dtype_policy(dtype_policy(_PRECISION.value))
    keras.utils.set_random_seed(recipe.seed)
    tagger = keras_bert.TokenClassifier.from_pretrained(
        _INIT_DIR.value,
        lowercase=_DO_LOWER_CASE.value,
        labels=keras_bert.TokenClassifier.labels_of(train, dev, test),
        seq_length=_MAX_SEQ_LENGTH.value,
    )
    tagger.fit(
        train,
        validation_data=dev,
        **dataclasses.asdict(recipe),
    )
    tagger.save(_OUTPUT_DIR.value, overwrite=_OVERWRITE.value)
    scores = {"dev": tagger.evaluate(dev)}
    if _TEST_FILE.value:
        scores["test"] = tagger.evaluate(test)
    run_files.write_evaluation(_OUTPUT_DIR.value, scores)
    text = conll_text(test.words, test.tags, tagger.predict_words(test.words))
    run_files.write_run_file(_OUTPUT_DIR.value, _PREDICTIONS, text)


if __name__ == "__main__":
    command_line.run(main)
