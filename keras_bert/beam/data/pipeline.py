"""Pipeline that creates pre-training records on any Apache Beam runner.

Chunks of the text are tokenized, blocks of documents are converted to records,
and the records are shuffled and written. Random numbers depend only on the seed
and on the position of a document in the input. Therefore, only the order of the
records depends on the runner and the number of workers.
"""

import collections
import sys
import time

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems

from keras_bert.beam.data.chunks import chunks_of
from keras_bert.beam.data.chunks import match_texts
from keras_bert.beam.data.outputs import list_file
from keras_bert.beam.data.outputs import prepare_output
from keras_bert.beam.data.outputs import read_remote_json
from keras_bert.beam.data.outputs import running_pipeline
from keras_bert.beam.data.outputs import write_manifest
from keras_bert.beam.data.steps import COUNTS
from keras_bert.beam.data.steps import Block
from keras_bert.beam.data.steps import Document
from keras_bert.beam.data.steps import MakeExamples
from keras_bert.beam.data.steps import TokenizeChunk
from keras_bert.beam.data.steps import assign_blocks
from keras_bert.beam.data.steps import sum_counts
from keras_bert.pretraining.records.data_warnings import check_counts
from keras_bert.pretraining.records.data_warnings import settings_of
from keras_bert.pretraining.records.data_warnings import shares_of
from keras_bert.pretraining.records.data_warnings import warn_of_examples
from keras_bert.pretraining.records.data_warnings import warn_of_text


def create_pretraining_data_on_beam(
    patterns,
    output_dir,
    text_options,
    options,
    num_shards=1,
    runner="FnApiRunner",
    beam_options=(),
    overwrite=False,
):
    """Create pre-training records on any Apache Beam runner.

    Args:
        patterns: list of str, paths and globs of text files, plain or .gz,
            with one sentence per line and a blank line between documents.
        output_dir: str, directory for the shards and `manifest.json`, which is
            written last.
        text_options: `TextOptions`. Only this process reads the vocabulary.
        options: `DataOptions`.
        num_shards: int, number of TFRecord files.
        runner: str, name of the Beam runner. Defaults to a local runner.
        beam_options: list of str, flags for the runner.
        overwrite: bool, whether to delete the files that the manifest of an
            earlier run lists.

    Returns:
        A dict with the counts in the manifest, see `pretraining.create_data`.

    Raises:
        ValueError: the input is not text, the text is a single document, or
            the output exists.
    """
    files = match_texts(patterns)
    text_options = text_options.resolved()
    tokenizer = text_options.tokenizer_settings()
    inputs = [*(path for path, _ in files), text_options.vocab_file]
    path = prepare_output(output_dir, inputs, overwrite)
    # Identify the inputs by size, because reading them is slow.
    settings = settings_of(dict(files), num_shards, text_options, options)
    start = time.time()
    with running_pipeline(runner, beam_options) as pipeline:
        text, records = _examples(
            pipeline, files, tokenizer, text_options, options
        )
        shards = records.records | _write_shards(output_dir, num_shards)
        entries = shards | "Spread" >> beam.Reshuffle() | beam.Map(list_file)
        _ = (
            (text, records.counts | "SumRecords" >> sum_counts())
            | beam.Flatten()
            | beam.combiners.ToList()
            | beam.Map(
                _write_manifest,
                path,
                {"settings": settings, "command": sys.argv},
                start,
                options,
                beam.pvalue.AsDict(entries),
            )
        )
    counts = read_remote_json(path)["counts"]
    warn_of_text(counts, options)
    warn_of_examples(counts, text_options, options)
    return counts


def _examples(pipeline, files, tokenizer, text_options, options):
    """Return the total text counts, and the outputs of `MakeExamples`."""
    tokenized = (
        pipeline
        | beam.Create([*enumerate(chunks_of(files))])
        | beam.Reshuffle()
        | beam.ParDo(TokenizeChunk(tokenizer, text_options)).with_outputs(
            COUNTS, main="documents"
        )
    )
    text = tokenized.counts | "SumText" >> sum_counts()
    names = [path for path, _ in files]
    checked = text | beam.Map(_checked, names, options)
    records = (
        tokenized.documents
        | beam.FlatMap(
            assign_blocks, options, beam.pvalue.AsSingleton(checked)
        ).with_output_types(tuple[Block, Document])
        | "Blocks" >> beam.GroupByKey()
        | beam.ParDo(
            MakeExamples(tokenizer.vocabulary, text_options, options)
        ).with_outputs(COUNTS, main="records")
    )
    return text, records


@beam.ptransform_fn
def _write_shards(records, output_dir, num_shards):
    """Shuffle and write (random number, record) pairs."""
    return (
        records
        | beam.GroupByKey()
        | beam.FlatMap(lambda item: item[1]).with_output_types(bytes)
        | beam.io.WriteToTFRecord(
            FileSystems.join(output_dir, ""),
            file_name_suffix=".tfrecord",
            num_shards=num_shards,
            shard_name_template="SSSSS-of-NNNNN",
        )
    )


def _checked(counts, names, options):
    check_counts(collections.Counter(counts), names, options)
    return counts


def _write_manifest(parts, path, context, start, options, entries):
    """Write the manifest, after the shards have their final names."""
    counts = {name: count for part in parts for name, count in part.items()}
    context = {
        **context,
        "counts": counts,
        "shares": shares_of(counts, options),
        "seconds": round(time.time() - start, 1),
    }
    write_manifest(path, entries, context)
