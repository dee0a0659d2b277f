"""Fine-tune a model to tag words, such as names.

    keras-bert run_tagger --train_file=train.conll --dev_file=dev.conll \\
        --test_file=test.conll --init_dir=bert-base-cased \\
        --output_dir=runs/tagger

Files hold a word and its tag a line and a blank line between sentences, as
those of CoNLL. The epoch that is best on --dev_file is kept. The output
directory holds the model, eval.json (scores, a table of the types of entities,
the calibration), the sentences with wrong tags, the most confident first,
predictions.conll (the words of --test_file, or else of the dev
split, their tags and what was predicted), and the curve, metrics.jsonl and for
TensorBoard. --seeds=5 and --search=paper train several times and keep the
best. See docs/tagging.md.
"""

import functools

from absl import flags

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.fine_tuning.run_flags import RunFlags
from keras_bert.cli.splits.splits import conll_splits

_RUN = RunFlags()
_FILES = shared_flags.splits(
    "Sentences to learn from.",
    "Sentences to tag at the end.",
    shared_flags.required,
)
_TAG_COLUMN = flags.DEFINE_integer(
    "tag_column",
    None,
    "Column of the tags, from 0; from the end if negative. By default the "
    "last, and UPOS in CoNLL-U.",
)
_WORD_COLUMN = flags.DEFINE_integer(
    "word_column",
    None,
    "Column of the words, from 0; by default the first, or the second where "
    "the first counts them, as in CoNLL-U.",
)
_ON_STRAY_TAG = flags.DEFINE_enum(
    "on_stray_tag",
    "error",
    ["error", "repair"],
    "What is done with a tag that follows no scheme, such as an I- that "
    "continues nothing: stop, or have it begin an entity, as conlleval does. "
    "Those of --test_file never stop.",
)
_NEW_HEAD = shared_flags.new_head()


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
    # Imported late, so that the manual is there at once.
    from keras_bert.cli.fine_tuning.tagging_run import TaggingRun

    return TaggingRun(splits, {**arguments, "new_head": _NEW_HEAD.value})


if __name__ == "__main__":
    command_line.run(
        main,
        "keras-bert predict --model_dir={output_dir}/model "
        "--input_file=texts.txt --output_file=answers.jsonl",
    )
