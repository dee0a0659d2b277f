"""Answers files of texts on any runner of Apache Beam."""

import collections
import json
import sys

import apache_beam as beam
import tensorflow as tf
import tensorflow_text  # noqa: F401, the ops of the tokenizer
from apache_beam.io.filesystems import FileSystems
from apache_beam.utils import shared

from keras_bert import artifacts
from keras_bert.beam.data.chunks import match_files
from keras_bert.beam.data.outputs import free_manifest_path
from keras_bert.beam.data.outputs import list_file
from keras_bert.beam.data.outputs import read_remote_json
from keras_bert.beam.data.outputs import running_pipeline
from keras_bert.beam.data.outputs import write_manifest
from keras_bert.beam.prediction.rows import BAD_ROWS
from keras_bert.beam.prediction.rows import ReadRows
from keras_bert.beam.prediction.rows import check_kinds

_WRITTEN = "*-of-*.jsonl"
_NUM_NAMED = 10
_BATCH_SIZE = 64
_SIGNATURE = "serving_default"


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
        model_dir: str, a SavedModel of `export_saved_model`, which all
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
    names = _text_ranks(model_dir)
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
    about = {
        "model": model_dir,
        "inputs": files,
        "columns": [*ranks],
        "command": sys.argv,
    }
    with running_pipeline(runner, beam_options) as pipeline:
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
            | beam.ParDo(_Answer(model_dir, [*names]))
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
                about,
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
    manifest = read_remote_json(path)
    return {name: manifest[name] for name in ("rows", "bad_rows", "faults")}


def _write_manifest(_, path, about, entries, rows, bad_rows, faults):
    counts = {"rows": rows, "bad_rows": bad_rows, "faults": [*faults]}
    write_manifest(path, entries, {**about, **counts})


def _text_ranks(model_dir):
    """Reads the names and ranks of the strings that a SavedModel takes.

    A text a row has rank 1, several have rank 2.
    """
    model = _load(model_dir)
    _, inputs = model.signatures[_SIGNATURE].structured_input_signature
    if any(tensor.dtype != tf.string for tensor in inputs.values()):
        raise ValueError(
            f"The signature {_SIGNATURE} of {model_dir} must take strings "
            f"only. Received: {', '.join(inputs)}."
        )
    return {name: tensor.shape.rank for name, tensor in inputs.items()}


class _Answer(beam.DoFn):
    """Lists of rows to lines of JSON.

    A worker's threads share one model, which is loaded when the first starts.
    """

    def __init__(self, model_dir, names):
        self._model_dir = model_dir
        self._names = names
        self._shared = shared.Shared()

    def setup(self):
        self._model = self._shared.acquire(lambda: _load(self._model_dir))

    def process(self, rows):
        alike = collections.defaultdict(list)
        for row in rows:
            # Rows of as many choices make a tensor.
            sizes = [len(x) if isinstance(x, list) else None for x in row[1]]
            alike[tuple(sizes)].append(row)
        for group in alike.values():
            yield from self._lines(group)

    def _lines(self, rows):
        keys, texts = zip(*rows, strict=True)
        columns = map(tf.constant, map(list, zip(*texts, strict=True)))
        answer = self._model.signatures[_SIGNATURE]
        outputs = answer(**dict(zip(self._names, columns, strict=True)))
        lists = {name: x.numpy().tolist() for name, x in outputs.items()}
        for index, (path, line) in enumerate(keys):
            prediction = {name: x[index] for name, x in lists.items()}
            values = {"file": path, "line": line, "prediction": prediction}
            yield json.dumps(values, ensure_ascii=False, default=_decoded)


def _load(model_dir):
    try:
        model = tf.saved_model.load(model_dir)
    except OSError as error:
        raise ValueError(
            f"{model_dir} must be a SavedModel. Received: {error}."
        ) from None
    if _SIGNATURE not in model.signatures:
        raise ValueError(
            f"{model_dir} must have the signature {_SIGNATURE}. Received: "
            f"{', '.join(model.signatures) or 'none'}."
        )
    return model


def _decoded(text):
    return text.decode("utf-8", "replace")
