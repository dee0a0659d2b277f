"""Prediction pipeline for texts in files on any Apache Beam runner."""

import collections
import json
import sys

import apache_beam as beam
import tensorflow as tf
import tensorflow_text  # noqa: F401, registers the tokenizer's ops
from apache_beam.io.filesystems import FileSystems
from apache_beam.utils import shared

from keras_bert.beam.data.chunks import match_files
from keras_bert.beam.data.outputs import list_file
from keras_bert.beam.data.outputs import prepare_output
from keras_bert.beam.data.outputs import read_remote_json
from keras_bert.beam.data.outputs import running_pipeline
from keras_bert.beam.data.outputs import write_manifest
from keras_bert.beam.prediction.rows import BAD_ROWS
from keras_bert.beam.prediction.rows import ReadRows
from keras_bert.beam.prediction.rows import check_kinds
from keras_bert.files.outputs import check_no_input

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
    """Predict the rows of files and write one JSON line per row, in any order.

    A line has the keys `file` and `line` (location of the row), and
    `prediction`, a dict with the outputs of the model.

    Args:
        model_dir: str, directory of a SavedModel written by
            `export_saved_model`. All workers must be able to read it.
        patterns: list of str, paths and globs of the input files: `.txt` with
            one text per line, `.csv`, `.tsv` or `.jsonl`, plain or `.gz`.
        output_dir: str, directory for the predictions and `manifest.json`,
            which is written last.
        columns: dict mapping model inputs to column names. An input that is
            not in the dict is read from the column of the same name.
        num_shards: int, number of output files.
        runner: str, name of the Beam runner. Defaults to a local runner.
        beam_options: list of str, flags for the runner.
        overwrite: bool, whether to delete the files that the manifest of an
            earlier run lists.

    Returns:
        A dict with `rows`, int, the number of predicted rows; `bad_rows`, int,
        the number of invalid rows, which are skipped; and `faults`, a list of
        dicts that describe up to ten invalid rows.

    Raises:
        ValueError: the model, the input or the output cannot be used.
    """
    columns = columns or {}
    names = _text_ranks(model_dir)
    unknown = {*columns} - {*names}
    if unknown:
        raise ValueError(
            "The keys of `columns` must be inputs of the model "
            f"({', '.join(names)}). Received: {', '.join(sorted(unknown))}."
        )
    ranks = {columns.get(name, name): rank for name, rank in names.items()}
    files = [path for path, _ in match_files(patterns)]
    check_kinds(files, ranks)
    check_no_input(output_dir, [model_dir])
    path = prepare_output(output_dir, files, overwrite, _WRITTEN)
    context = {
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
                context,
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


def _write_manifest(_, path, context, entries, rows, bad_rows, faults):
    counts = {"rows": rows, "bad_rows": bad_rows, "faults": [*faults]}
    write_manifest(path, entries, {**context, **counts})


def _text_ranks(model_dir):
    """Return a dict mapping the string inputs of a SavedModel to their ranks.

    The rank is 1 for inputs with one text per row, 2 for lists of texts.
    """
    model = _load(model_dir)
    _, inputs = model.signatures[_SIGNATURE].structured_input_signature
    if any(tensor.dtype != tf.string for tensor in inputs.values()):
        raise ValueError(
            f"The signature {_SIGNATURE} of {model_dir} must take only string "
            f"inputs. Received: {', '.join(inputs)}."
        )
    return {name: tensor.shape.rank for name, tensor in inputs.items()}


class _Answer(beam.DoFn):
    """Step that converts batches of rows to JSON lines with predictions.

    The threads of a worker share one model.
    """

    def __init__(self, model_dir, names):
        self._model_dir = model_dir
        self._names = names
        self._shared = shared.Shared()

    def setup(self):
        self._model = self._shared.acquire(lambda: _load(self._model_dir))

    def process(self, rows):
        groups = collections.defaultdict(list)
        for row in rows:
            # All rows of a tensor must have the same number of choices.
            sizes = [len(x) if isinstance(x, list) else None for x in row[1]]
            groups[tuple(sizes)].append(row)
        for group in groups.values():
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
            f"{model_dir} cannot be loaded as a SavedModel: {error}."
        ) from None
    if _SIGNATURE not in model.signatures:
        raise ValueError(
            f"{model_dir} must have the signature {_SIGNATURE}. Received: "
            f"{', '.join(model.signatures) or 'none'}."
        )
    return model


def _decoded(text):
    return text.decode("utf-8", "replace")
