"""Fine-tune a model for token classification, such as entity recognition.

    keras-bert run_tagger --train_file=train.conll --dev_file=dev.conll \\
        --test_file=test.conll --init_dir=bert-base-cased \\
        --output_dir=runs/tagger

Files have a word and its tag per line and a blank line between sentences, as in
CoNLL. The best epoch on --dev_file is kept. The output directory contains the
model, eval.json (scores, metrics of each entity type, calibration), the
sentences with wrong tags sorted by confidence, predictions.conll (words, tags
and predictions for --test_file, or else the dev split), and the training curve
(metrics.jsonl and TensorBoard). --seeds=5 and --search=paper train several
times and keep the best. See docs/tagging.md.
"""

import functools

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.fine_tuning.run_flags import RunFlags
from keras_bert.cli.splits.splits import conll_splits

PROGRAM = command_line.Program(
    __doc__, shared_flags.predict_command("texts.txt")
)

_RUN = RunFlags(PROGRAM)
_FILES = shared_flags.splits(
    PROGRAM,
    "Training sentences.",
    "Sentences to predict after training.",
    required=True,
)
_TAG_COLUMN = PROGRAM.integer(
    "tag_column",
    None,
    "Index of the tag column, from 0, or from the end if negative; by "
    "default the last, or UPOS in CoNLL-U.",
)
_WORD_COLUMN = PROGRAM.integer(
    "word_column",
    None,
    "Index of the word column, from 0; by default the first, or the "
    "second if the first contains word numbers, as in CoNLL-U.",
)
_ON_STRAY_TAG = PROGRAM.enum(
    "on_stray_tag",
    "error",
    ["error", "repair"],
    "Handling of a tag that violates the scheme, such as an I- with no "
    "entity before it: stop with an error, or repair it so that it "
    "begins an entity, as conlleval does. --test_file is always "
    "repaired.",
)
_NEW_HEAD = shared_flags.new_head(PROGRAM)


def main():
    files = shared_flags.given(_FILES)
    read = functools.partial(
        conll_splits,
        files,
        on_stray_tag=_ON_STRAY_TAG.value,
        tag_column=_TAG_COLUMN.value,
        word_column=_WORD_COLUMN.value,
    )
    _RUN.run(files.values(), read, _make)


def _make(splits, arguments):
    # Imported late, so that --help is fast.
    from keras_bert.cli.fine_tuning.tagging_run import TaggingRun

    return TaggingRun(splits, {**arguments, "new_head": _NEW_HEAD.value})
