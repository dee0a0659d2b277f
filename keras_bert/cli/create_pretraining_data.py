"""Create pre-training records from plain text.

    keras-bert create_pretraining_data --input_file='text/*.txt' \\
        --vocab_file=vocab.txt --output_dir=tfrecords/wiki \\
        --num_shards=16 --num_workers=8

The input is UTF-8 text with one sentence per line (with --split_sentences, one
paragraph) and a blank line between documents, or .jsonl, also as .gz; a pipe
such as /dev/stdin or <(zcat FILE); or a prepared TensorFlow Datasets dataset.
The records have the format of google-research/bert; see tfrecords/README.md.
--packing selects the contents of an example; see docs/packings.md.

The same seed gives the same bytes with any number of workers. Run the same
command again to resume an interrupted run. A manifest next to the records lists
settings, counts and hashes of the inputs and the records; all records must be
in one directory. --overwrite replaces the records of an earlier run, all of
them together, but no other files.
"""

import os
import time

from absl import logging

import keras_bert
from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.data.option_flags import OptionFlags
from keras_bert.cli.data.text_flags import TextFlags
from keras_bert.pretraining.records.data_warnings import describe_examples

PROGRAM = command_line.Program(
    __doc__, shared_flags.pretrain_command("{result}")
)

_TEXT = TextFlags(PROGRAM)
_OUTPUT_FILE = PROGRAM.list(
    "output_file",
    None,
    "TFRecord files to write, all in one directory.",
)
_OUTPUT_DIR = PROGRAM.optional(
    "output_dir",
    "Output directory for --num_shards files, instead of --output_file.",
)
_NUM_SHARDS = shared_flags.num_shards(PROGRAM)
_NUM_WORKERS = PROGRAM.integer(
    "num_workers",
    1,
    "Number of worker processes, at most one per file.",
    lower_bound=1,
)
_OVERWRITE = shared_flags.overwrite(PROGRAM)
_OPTIONS = OptionFlags(PROGRAM)


def main():
    start = time.monotonic()
    output_files, manifest_path = _outputs()
    options = _OPTIONS.options()
    text_options = _OPTIONS.text_options(_TEXT.on_bad_line.value)
    paths = _TEXT.paths()
    counts = keras_bert.pretraining.create_data(
        _TEXT.sources(paths),
        output_files,
        text_options,
        options,
        manifest_path,
        _NUM_WORKERS.value,
        _OVERWRITE.value,
    )
    logging.info(
        "%.1f s: %s.",
        time.monotonic() - start,
        describe_examples(counts, options),
    )
    return _OUTPUT_FILE.value or f"{_OUTPUT_DIR.value}/*.tfrecord"


def _outputs():
    """Return the record files and the manifest."""
    command_line.require_one(_OUTPUT_FILE, _OUTPUT_DIR)
    if _OUTPUT_FILE.value:
        command_line.reject("requires --output_dir", _NUM_SHARDS)
        return _OUTPUT_FILE.value, None
    count = _NUM_SHARDS.value
    names = [f"{n:05d}-of-{count:05d}.tfrecord" for n in range(count)]
    return (
        [os.path.join(_OUTPUT_DIR.value, name) for name in names],
        os.path.join(_OUTPUT_DIR.value, "manifest.json"),
    )
