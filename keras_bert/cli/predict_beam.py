"""Predict the rows of files on a cluster, with Apache Beam.

    keras-bert predict_beam --model_dir=gs://bucket/mood/1 \\
        --input_file='gs://bucket/texts/*.jsonl' \\
        --columns=text=review --output_dir=gs://bucket/answers \\
        --num_shards=256 --beam_runner=FlinkRunner \\
        --beam_options=--flink_master=host:8081

The model is a SavedModel of keras-bert export_saved_model, for any task. The
input is .txt with one text per line, or .csv, .tsv or .jsonl with columns, also
as .gz; choices are lists in a .jsonl. The output has a line of JSON for each
row, in any order: `file` and `line`, the location of the row, and `prediction`,
the outputs of the model. Invalid rows are skipped, counted and logged. See
docs/beam.md.
"""

import logging as python_logging

from absl import logging

from keras_bert import command_line
from keras_bert.cli import shared_flags

PROGRAM = command_line.Program(__doc__)

_MODEL_DIR = PROGRAM.required(
    "model_dir", "SavedModel, readable by all workers."
)
_INPUT_FILE = PROGRAM.list(
    "input_file",
    None,
    "Input files: paths and globs, comma-separated.",
    required=True,
)
_OUTPUT_DIR = PROGRAM.required(
    "output_dir", "Output directory for --num_shards files."
)
_COLUMNS = PROGRAM.list(
    "columns",
    [],
    "Columns of the model inputs whose names differ: text=review,...",
)
_NUM_SHARDS = shared_flags.num_shards(PROGRAM)
_OVERWRITE = shared_flags.overwrite(PROGRAM)
_BEAM = shared_flags.beam(PROGRAM)


def main():
    columns = _columns()
    if logging.get_verbosity() < logging.DEBUG:
        # Print a worker's error in one line.
        python_logging.getLogger("apache_beam").setLevel(
            python_logging.CRITICAL
        )
    # Imported late, because Apache Beam is optional.
    command_line.import_quietly("tensorflow")
    from keras_bert.beam.prediction.pipeline import predict_on_beam

    counts = predict_on_beam(
        _MODEL_DIR.value,
        _INPUT_FILE.value,
        _OUTPUT_DIR.value,
        columns,
        _NUM_SHARDS.value,
        *(holder.value for holder in _BEAM),
        _OVERWRITE.value,
    )
    for fault in counts["faults"]:
        logging.warning("Skipped: %s", fault)
    logging.info(
        "Predicted %d rows; skipped %d.", counts["rows"], counts["bad_rows"]
    )


def _columns():
    pairs = [item.partition("=") for item in _COLUMNS.value]
    wrong = [name for name, _, column in pairs if not column]
    if wrong:
        raise ValueError(
            "--columns must be pairs such as text=review. Received: "
            f"{', '.join(wrong)}."
        )
    return {name: column for name, _, column in pairs}
