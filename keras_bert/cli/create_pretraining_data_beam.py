"""Create pre-training records on a cluster, with Apache Beam.

    keras-bert create_pretraining_data_beam \\
        --input_file='gs://bucket/text/*.txt' --vocab_file=vocab.txt \\
        --output_dir=gs://bucket/tfrecords --num_shards=256 \\
        --beam_runner=FlinkRunner --beam_options=--flink_master=host:8081

This is keras-bert create_pretraining_data as an Apache Beam pipeline; on one
machine that program is faster. The input is UTF-8 text with one sentence
per line (with --split_sentences, one paragraph) and a blank line between
documents, also as .gz. docs/beam.md describes how to run it on Flink, Spark and
Dataflow.

The same seed gives the same records with any runner and any number of workers;
only their order differs. A manifest lists settings, counts and hashes of the
records. --overwrite replaces the records of an earlier run, but no other files.
"""

import logging as python_logging
import time

from absl import logging

from keras_bert import command_line
from keras_bert.cli import shared_flags
from keras_bert.cli.data.option_flags import OptionFlags
from keras_bert.pretraining.records.data_warnings import describe_examples

PROGRAM = command_line.Program(
    __doc__, shared_flags.pretrain_command("{result}")
)

# Loggers of tracebacks; `main` prints the error in one line.
_NOISY = (
    "apache_beam.runners.common",
    "apache_beam.runners.portability.local_job_service",
    "apache_beam.runners.worker",
)

_INPUT_FILE = PROGRAM.list(
    "input_file",
    None,
    "Text files: paths and globs, comma-separated.",
    required=True,
)
_OUTPUT_DIR = PROGRAM.required(
    "output_dir", "Output directory for --num_shards files."
)
_NUM_SHARDS = shared_flags.num_shards(PROGRAM)
_OVERWRITE = shared_flags.overwrite(PROGRAM)
_BEAM = shared_flags.beam(PROGRAM)
_OPTIONS = OptionFlags(PROGRAM)


def main():
    options = _OPTIONS.options()
    pipeline = _load_pipeline()
    start = time.monotonic()
    counts = pipeline.create_pretraining_data_on_beam(
        _INPUT_FILE.value,
        _OUTPUT_DIR.value,
        _OPTIONS.text_options(),
        options,
        _NUM_SHARDS.value,
        *(holder.value for holder in _BEAM),
        _OVERWRITE.value,
    )
    logging.info(
        "%d documents, %d word pieces, %.1f %% of them unknown; %.1f s: %s.",
        counts["documents"],
        counts["tokens"],
        100 * counts["unknown"] / counts["tokens"],
        time.monotonic() - start,
        describe_examples(counts, options),
    )
    return f"{_OUTPUT_DIR.value}/*.tfrecord"


def _load_pipeline():
    """Import the pipeline and quiet the error logs of Beam."""
    noisy = _NOISY if logging.get_verbosity() < logging.DEBUG else ()
    for name in noisy:
        python_logging.getLogger(name).setLevel(python_logging.CRITICAL)
    python_logging.disable(python_logging.WARNING)
    # Imported late, because Apache Beam is optional.
    command_line.import_quietly("tensorflow")
    from keras_bert.beam.data import pipeline

    python_logging.disable(python_logging.NOTSET)
    return pipeline
