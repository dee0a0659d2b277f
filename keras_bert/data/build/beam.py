"""The data tool on many machines: the same core as an Apache Beam pipeline.

Chunks of the text are tokenized; then each pass deals all documents out to
blocks at random, and a block is a small corpus of which the examples are made
as on one machine. A random second sentence so comes from another document of
the block; as every pass makes other blocks of many random documents, that is
as good as any document of the text.

All that is random derives from the seed and from the place of a document in
the input. So the records depend on neither the runner nor the number of
workers; their order does.
"""

import collections
import dataclasses
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tempfile
import time
import zlib

import numpy as np

from keras_bert.data.build.remarks import shares_of
from keras_bert.data.build.remarks import warn_of_examples
from keras_bert.data.build.remarks import warn_of_text
from keras_bert.data.build.settings import settings_of
from keras_bert.data.build.shards import ShardBuilder
from keras_bert.data.corpus import token_store as corpora
from keras_bert.data.corpus.chunk_writer import ChunkWriter
from keras_bert.data.corpus.chunk_writer import batch_lines
from keras_bert.data.corpus.documents import split_lines
from keras_bert.data.corpus.text_files import CHUNK_BYTES
from keras_bert.files import expand_patterns
from keras_bert.outputs import manifest_values
from keras_bert.text.vocabulary import Vocabulary

try:
    import apache_beam as beam
    from apache_beam.io.filesystem import CompressionTypes
    from apache_beam.io.filesystems import FileSystems
    from apache_beam.options.pipeline_options import PipelineOptions

    from keras_bert.data.build.beam_outputs import free_manifest_path
    from keras_bert.data.build.beam_outputs import list_file
    from keras_bert.data.build.beam_outputs import write_remote_json
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"The Beam pipeline needs the package {error.name}, which is not "
        "installed here. Try: pip install 'keras-bert-tf[beam]'",
        name=error.name,
    ) from None

_READ_BYTES = 1 << 20
_BLOCK_TOKENS = 1 << 18
# That a block gets fewer than two documents then has a chance below 1e-25.
_BLOCK_DOCUMENTS = 64
_COUNTS = "counts"
_FRAME_HEAD, _FRAME_TAIL = 12, 4
# Chunk, number in it, tokens, lengths of the sentences; pass and block.
_Document = tuple[int, int, bytes, bytes]
_Block = tuple[int, int]
_WORKER_ERROR = re.compile(
    r"^ValueError: (.*?)(?: \[while running .*)?$", re.MULTILINE
)


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
    """Writes records of sentence pairs, on any runner of Apache Beam.

    Args:
        patterns: list of str, paths and globs of text files with a sentence
            a line and a blank line between documents, also as .gz.
        output_dir: str, where the shards and at last `manifest.json` go.
        text_options: `TextOptions`; the vocabulary is read here.
        options: `PretrainingDataOptions`.
        num_shards: int, TFRecord files.
        runner: str, Beam's name of the runner; by default its local one.
        beam_options: list of str, the flags of the runner.
        overwrite: bool, drop what an earlier run has left, which its
            manifest lists.

    Returns:
        The manifest's counts, as of `create_pretraining_data`.

    Raises:
        ValueError: the input is no text or one document, the output exists.
    """
    files = _match(patterns)
    text_options = text_options.settled()
    vocabulary = Vocabulary.from_file(text_options.vocab_file)
    inputs = [*(path for path, _ in files), text_options.vocab_file]
    path = free_manifest_path(output_dir, inputs, overwrite)
    # The inputs by their sizes, for to read them takes long.
    settings = settings_of(dict(files), num_shards, text_options, options)
    start = time.time()
    try:
        with beam.Pipeline(
            runner, options=PipelineOptions([*beam_options])
        ) as pipeline:
            text, records = _examples(
                pipeline, files, vocabulary, text_options, options
            )
            shards = records.records | _write_shards(output_dir, num_shards)
            entries = (
                shards | "Spread" >> beam.Reshuffle() | beam.Map(list_file)
            )
            _ = (
                (text, records.counts | "SumRecords" >> _sum_counts())
                | beam.Flatten()
                | beam.combiners.ToList()
                | beam.Map(
                    _make_manifest,
                    settings,
                    start,
                    options,
                    beam.pvalue.AsDict(entries),
                )
                | beam.Map(_write_manifest, path, sys.argv)
            )
    except Exception as error:
        # Some runners tell a worker's error as a whole traceback of text.
        said = _WORKER_ERROR.search(f"{type(error).__name__}: {error}")
        if said:
            raise ValueError(said[1]) from error
        raise
    with FileSystems.open(path) as file:
        counts = json.load(file)["counts"]
    warn_of_text(counts, options)
    warn_of_examples(counts, text_options, options)
    return counts


def _match(patterns):
    """The files of patterns, as sorted pairs of a path and a size."""
    files = {}
    for pattern in patterns or [""]:
        if "://" not in pattern:
            paths = map(os.path.abspath, expand_patterns(pattern))
            files.update((path, os.path.getsize(path)) for path in paths)
            continue
        found = FileSystems.match([pattern])[0].metadata_list
        if not found:
            raise ValueError(f"Input must exist. No file matches {pattern!r}.")
        files.update((file.path, file.size_in_bytes) for file in found)
    for path in files:
        if path.endswith((".jsonl", ".jsonl.gz")):
            raise ValueError(
                f"Input must be text, a sentence a line. Received: {path}."
            )
    return sorted(files.items())


def _examples(pipeline, files, vocabulary, text_options, options):
    """The counts of the text, summed, and the outputs of `_MakeExamples`."""
    chunks = [
        (path, first)
        for path, size in files
        for first in range(0, 1 if path.endswith(".gz") else size, CHUNK_BYTES)
    ]
    tokenized = (
        pipeline
        | beam.Create([*enumerate(chunks)])
        | beam.Reshuffle()
        | beam.ParDo(_Tokenize(vocabulary, text_options)).with_outputs(
            _COUNTS, main="documents"
        )
    )
    text = tokenized.counts | "SumText" >> _sum_counts()
    checked = text | beam.Map(_check_counts, [path for path, _ in files[:3]])
    records = (
        tokenized.documents
        | beam.FlatMap(
            _deal_out, options, beam.pvalue.AsSingleton(checked)
        ).with_output_types(tuple[_Block, _Document])
        | "Blocks" >> beam.GroupByKey()
        | beam.ParDo(
            _MakeExamples(vocabulary, text_options, options)
        ).with_outputs(_COUNTS, main="records")
    )
    return text, records


@beam.ptransform_fn
def _sum_counts(counts):
    """Pairs of a name and a number to one dict."""
    return counts | beam.CombinePerKey(sum) | beam.combiners.ToDict()


@beam.ptransform_fn
def _write_shards(records, output_dir, num_shards):
    """Shuffles pairs of a random number and a record, and writes them."""
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


@beam.typehints.with_output_types(_Document)
class _Tokenize(beam.DoFn):
    """(number, (path, offset)) of a chunk to its documents and counts.

    A chunk begins and ends at the first blank line after its borders.
    """

    def __init__(self, vocabulary, text_options):
        self._vocabulary = vocabulary
        self._text_options = text_options

    def setup(self):
        # The worker may be a machine without the vocabulary's file.
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "vocab.txt")
            self._vocabulary.save(path)
            self._tokenizer = dataclasses.replace(
                self._text_options, vocab_file=path
            ).make_tokenizer()

    def process(self, element):
        number, (path, first) = element
        segmented = self._text_options.segmented_words
        counts = collections.Counter()
        with tempfile.TemporaryDirectory() as directory:
            stem = os.path.join(directory, "chunk")
            lines = self._text_options.sentences(_read_lines(path, first))
            with ChunkWriter(stem, self._tokenizer, segmented) as writer:
                for batch in batch_lines(lines):
                    counts.update(writer.write(batch))
            if counts["documents"]:
                corpora.join_chunks([stem], directory)
                corpus = corpora.Corpus.open(
                    directory, len(self._vocabulary), segmented
                )
                yield from _documents(corpus, number)
        for count in counts.items():
            yield beam.pvalue.TaggedOutput(_COUNTS, count)


def _read_lines(path, first):
    with FileSystems.open(
        path, compression_type=CompressionTypes.UNCOMPRESSED
    ) as file:
        if path.endswith(".gz"):
            yield from _read_gzip(path, file)
            return
        end = _next_document(file, first + CHUNK_BYTES)
        start = _next_document(file, first) if first else 0
        file.seek(start)
        yield from split_lines(path, _blocks(file, end - start), start)


def _read_gzip(path, file):
    try:
        with gzip.GzipFile(fileobj=file) as text:
            yield from split_lines(path, _blocks(text, sys.maxsize))
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"{path} must be a whole gzip file. Received: {error}"
        ) from None


def _next_document(file, position):
    """Where a document may begin: past a blank line, or the end."""
    file.seek(position)
    file.readline()  # The rest of a line.
    while file.readline().strip():
        pass
    return file.tell()


def _blocks(file, size):
    while size > 0 and (block := file.read(min(size, _READ_BYTES))):
        yield block
        size -= len(block)


def _documents(corpus, chunk):
    """Yields (chunk, number in it, tokens, lengths of the sentences)."""
    for number in range(corpus.num_documents):
        begin, end = corpus.documents[number : number + 2]
        places = corpus.sentences[begin : end + 1]
        tokens = corpus.tokens[places[0] : places[-1]]
        lengths = np.diff(places).astype(np.uint32)
        yield chunk, number, tokens.tobytes(), lengths.tobytes()


def _check_counts(counts, names):
    num_documents = counts.get("documents", 0)
    if num_documents < 2:
        raise ValueError(
            "Input must hold at least two documents with a blank line between "
            "them, for half of the second sentences come from another one. "
            f"Received: {num_documents} document(s) in {', '.join(names)}."
        )
    return counts


def _deal_out(document, options, counts):
    """Yields ((pass, block), document) for each pass."""
    num_blocks = min(
        -(-counts["tokens"] // _BLOCK_TOKENS),
        counts["documents"] // _BLOCK_DOCUMENTS,
    )
    for number in range(options.dupe_factor):
        place = _stable_hash(options.random_seed, number, *document[:2])
        yield (number, place % max(num_blocks, 1)), document


def _stable_hash(*numbers):
    digest = hashlib.blake2b(repr(numbers).encode(), digest_size=8)
    return int(digest.hexdigest(), 16)


@beam.typehints.with_output_types(tuple[int, bytes])
class _MakeExamples(beam.DoFn):
    """((pass, block), documents) to (random number, record) and counts."""

    def __init__(self, vocabulary, text_options, options):
        self._vocabulary = vocabulary
        self._segmented = text_options.segmented_words
        self._options = options

    def process(self, element):
        key, documents = element
        seed = _stable_hash(self._options.random_seed, *key)
        builder = ShardBuilder(
            self._corpus(sorted(documents)),
            self._vocabulary,
            dataclasses.replace(self._options, dupe_factor=1, random_seed=seed),
            self._segmented,
        )
        counts = collections.Counter()
        rng = np.random.default_rng(seed)
        buffer = io.BytesIO()
        for batch in builder.write(0, 1, buffer):
            counts.update(batch)
            for record in _take_records(buffer):
                yield int(rng.integers(1 << 62)), record
        for count in counts.items():
            yield beam.pvalue.TaggedOutput(_COUNTS, count)

    def _corpus(self, documents):
        dtype = corpora.token_dtype(len(self._vocabulary), self._segmented)
        _, _, tokens, lengths = zip(*documents)
        sentences = np.frombuffer(b"".join(lengths), np.uint32)
        num_sentences = [len(part) // sentences.itemsize for part in lengths]
        return corpora.Corpus(
            np.frombuffer(b"".join(tokens), dtype),
            np.concatenate([[0], np.cumsum(sentences, dtype=np.int64)]),
            np.concatenate([[0], np.cumsum(num_sentences, dtype=np.int64)]),
        )


def _take_records(buffer):
    """Empties a buffer of TFRecords and yields what is in their frames."""
    data = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    place = 0
    while place < len(data):
        length = int.from_bytes(data[place : place + 8], "little")
        place += _FRAME_HEAD
        yield data[place : place + length]
        place += length + _FRAME_TAIL


def _make_manifest(parts, settings, start, options, entries):
    """The manifest; the shards have their final names by now."""
    counts = {name: count for part in parts for name, count in part.items()}
    about = {
        "settings": settings,
        "counts": counts,
        "shares": shares_of(counts, options),
        "seconds": round(time.time() - start, 1),
    }
    return manifest_values(dict(sorted(entries.items())), about)


def _write_manifest(manifest, path, command):
    # A worker has another command line.
    write_remote_json(path, {**manifest, "command": command})
