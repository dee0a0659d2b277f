"""Answers files of texts on any runner of Apache Beam."""

import json
import sys

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import PipelineOptions

from keras_bert import artifacts
from keras_bert.data.build.beam.chunks import match_files
from keras_bert.data.build.beam.errors import plain_worker_errors
from keras_bert.data.build.beam.outputs import free_manifest_path
from keras_bert.data.build.beam.outputs import list_file
from keras_bert.data.build.beam.outputs import write_remote_json
from keras_bert.export.beam.answering import Answer
from keras_bert.export.beam.answering import text_ranks
from keras_bert.export.beam.rows import BAD_ROWS
from keras_bert.export.beam.rows import ReadRows
from keras_bert.export.beam.rows import check_kinds

_WRITTEN = "*-of-*.jsonl"
_NUM_NAMED = 10
_BATCH_SIZE = 64


def predict_on_beam(
    model_dir,
    patterns,
    output_dir,
    columns=None,
    num_shards=1,
    runner="FnApiRunner",
    beam_options=(),
    overwrite=False,
):
    """Answers each row of files with a line of JSON, in any order.

    A line holds `file` and `line`, where the row begins, and `prediction`,
    the outputs of the model by name.

    Args:
        model_dir: str, a SavedModel as of `export_saved_model`, which all
            workers see.
        patterns: list of str, paths and globs of `.txt`, a text a line, and
            of `.csv`, `.tsv` or `.jsonl`, also as `.gz`.
        output_dir: str, where the answers and at last `manifest.json` go.
        columns: dict from the names of the model's strings to those of their
            columns, where they are others.
        num_shards: int, files of answers.
        runner: str, Beam's name of the runner; by default its local one.
        beam_options: list of str, the flags of the runner.
        overwrite: bool, drop what an earlier run has left, which its
            manifest lists.

    Returns:
        A dict: `rows`, int, how many were answered; `bad_rows`, int, how many
        were left out for a fault; and `faults`, list of dicts, ten of these.

    Raises:
        ValueError: the model, the input or the output cannot be used.
    """
    columns = columns or {}
    names = text_ranks(model_dir)
    unknown = {*columns} - {*names}
    if unknown:
        raise ValueError(
            f"The model takes {', '.join(names)}. Received: columns of "
            f"{', '.join(sorted(unknown))}."
        )
    ranks = {columns.get(name, name): rank for name, rank in names.items()}
    files = [path for path, _ in match_files(patterns)]
    check_kinds(files, ranks)
    artifacts.check_no_input(output_dir, [model_dir])
    path = free_manifest_path(output_dir, files, overwrite, _WRITTEN)
    with (
        plain_worker_errors(),
        beam.Pipeline(
            runner, options=PipelineOptions([*beam_options])
        ) as pipeline,
    ):
        read = (
            pipeline
            | beam.Create(files)
            | "SpreadFiles" >> beam.Reshuffle()
            | beam.ParDo(ReadRows(ranks)).with_outputs(BAD_ROWS, main="rows")
        )
        lines = (
            read.rows
            | "SpreadRows" >> beam.Reshuffle()
            | beam.BatchElements(max_batch_size=_BATCH_SIZE)
            | beam.ParDo(Answer(model_dir, [*names]))
        )
        entries = (
            lines
            | beam.io.WriteToText(
                FileSystems.join(output_dir, ""),
                file_name_suffix=".jsonl",
                num_shards=num_shards,
                shard_name_template="SSSSS-of-NNNNN",
            )
            | beam.Map(list_file)
        )
        _ = (
            pipeline
            | "Once" >> beam.Create([None])
            | beam.Map(
                _write_manifest,
                path,
                {"model": model_dir, "inputs": files, "columns": [*ranks]},
                sys.argv,
                beam.pvalue.AsDict(entries),
                beam.pvalue.AsSingleton(
                    lines | "Count" >> beam.combiners.Count.Globally()
                ),
                beam.pvalue.AsSingleton(
                    read[BAD_ROWS]
                    | "CountBad" >> beam.combiners.Count.Globally()
                ),
                beam.pvalue.AsIter(
                    read[BAD_ROWS]
                    | beam.combiners.Sample.FixedSizeGlobally(_NUM_NAMED)
                    | beam.FlatMap(lambda sample: sample)
                ),
            )
        )
    with FileSystems.open(path) as file:
        manifest = json.load(file)
    return {name: manifest[name] for name in ("rows", "bad_rows", "faults")}


def _write_manifest(_, path, about, command, entries, rows, bad_rows, faults):
    counts = {"rows": rows, "bad_rows": bad_rows, "faults": [*faults]}
    values = artifacts.manifest_values(
        dict(sorted(entries.items())), {**about, **counts}
    )
    # A worker has another command line.
    write_remote_json(path, {**values, "command": command})
