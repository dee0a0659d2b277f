"""The two passes of data creation: tokenizing text and writing shards."""

import collections
import functools

from keras_bert.files.atomic import atomic_file
from keras_bert.files.manifest import file_entry
from keras_bert.files.tfrecord import write_records
from keras_bert.pretraining.corpus import token_store as corpora
from keras_bert.pretraining.corpus.chunk_writer import ChunkWriter
from keras_bert.pretraining.corpus.chunk_writer import batch_lines
from keras_bert.pretraining.corpus.json_lines import BadLines
from keras_bert.pretraining.records.shards import ShardBuilder
from keras_bert.pretraining.records.work_directory import finish_piece
from keras_bert.pretraining.records.work_directory import read_piece
from keras_bert.pretraining.records.work_directory import summed_counts
from keras_bert.pretraining.records.workers import advance
from keras_bert.pretraining.records.workers import run_pieces

# Size of text per worker up to which importing TensorFlow would take longer.
_MAX_HOST_BYTES = 1 << 26


def tokenize(work, sources, text_options, num_workers):
    """Tokenize the text and write a corpus to the work directory.

    Args:
        work: `RecordsDirectory`.
        sources: list of sources, as returned by `open_sources`.
        text_options: resolved `TextOptions`.
        num_workers: int, number of processes.

    Returns:
        A Counter with the counts of the text, and its `BadLines`.
    """
    chunks = [(source, x) for source in sources for x in source.chunks()]
    stems = [work.stem(f"chunk-{n:05d}") for n in range(len(chunks))]
    if not corpora.is_joined(work.path):
        missing = [
            (source, chunk, stem)
            for (source, chunk), stem in zip(chunks, stems, strict=True)
            if read_piece(stem) is None
        ]
        total = sum(source.num_bytes(chunk) for source, chunk, _ in missing)
        on_host = total <= _MAX_HOST_BYTES * num_workers
        write = functools.partial(_tokenize_chunk, text_options, on_host)
        describe = functools.partial(_describe_tokenizing, total / 1e6)
        _run(write, missing, num_workers, describe)
        corpora.join_chunks(stems, work.path)
    counts = summed_counts(stems)
    lexicon = text_options.lexicon()
    if lexicon is not None:
        matched = (read_piece(stem)["entries"] for stem in stems)
        lexicon.warn_of_missing(set().union(*matched))
    listed = [read_piece(stem)["bad_lines"] for stem in stems]
    return counts, BadLines(counts["bad_lines"], sum(listed, []))


def write_shards(work, text_options, options, num_workers):
    """Write the missing shards to the work directory.

    Args:
        work: `RecordsDirectory` with the corpus.
        text_options: resolved `TextOptions`.
        options: `DataOptions`.
        num_workers: int, number of processes.

    Returns:
        A Counter with the counts of the records.

    Raises:
        ValueError: a shard has no examples.
    """
    stems = work.shard_stems
    shards = [x for x in enumerate(stems) if read_piece(x[1]) is None]
    write = functools.partial(
        _write_shard, work.path, len(stems), text_options, options
    )
    describe = functools.partial(_describe_writing, len(shards))
    _run(write, shards, num_workers, describe)
    for stem in stems:
        if not read_piece(stem)["counts"].get("examples"):
            raise ValueError(
                "`output_files` must not list more files than there are "
                f"examples. Received: {len(stems)} output files. Pass fewer "
                "files or more text."
            )
    return summed_counts(stems)


def _run(function, pieces, num_workers, describe):
    try:
        for _ in run_pieces(function, pieces, num_workers, describe):
            pass
    finally:
        _tokenizer.cache_clear()
        _shard_builder.cache_clear()


def _describe_tokenizing(total, done, seconds):
    done = done / 1e6
    line = f"Tokenizing: {done:.1f} of {total:.1f} MB"
    if not done:  # The processes are starting.
        return f"{line}."
    # The uncompressed text may be larger than the estimated total.
    left = max(total - done, 0.0) / done * seconds
    return f"{line}, {done / seconds:.1f} MB/s, {left:.0f} s left."


def _describe_writing(num_shards, done, seconds):
    return (
        f"Writing {num_shards} shard(s): {done} examples, "
        f"{done / seconds:.0f} examples/s."
    )


def _tokenize_chunk(text_options, on_host, job):
    source, chunk, stem = job
    is_skipping = text_options.on_bad_line == "skip"
    bad_lines = BadLines()
    lines = source.lines(chunk, bad_lines if is_skipping else None)
    counts = collections.Counter()
    tokenizer, lexicon = _tokenizer(text_options, on_host)
    matched = set() if lexicon is None else lexicon.matched
    matched.clear()
    segmented = text_options.segmented_words
    with ChunkWriter(stem, tokenizer, segmented, lexicon) as writer:
        for batch in batch_lines(text_options.sentences(lines)):
            counts.update(writer.write(batch))
            advance(sum(map(len, batch)) + len(batch))
    if is_skipping:
        counts["bad_lines"] = bad_lines.count
    context = {"bad_lines": bad_lines.listed, "entries": sorted(matched)}
    finish_piece(stem, counts, **context)


def _write_shard(directory, num_shards, text_options, options, shard):
    number, stem = shard
    builder = _shard_builder(directory, text_options, options)
    counts = collections.Counter()
    path = f"{stem}.tfrecord"
    with atomic_file(path) as name, open(name, "wb") as file:
        for records, batch in builder.batches(number, num_shards):
            write_records(file, records)
            counts.update(batch)
            advance(batch["examples"])
    finish_piece(stem, counts, file=file_entry(path))


@functools.cache
def _tokenizer(text_options, on_host):
    return text_options.make_tokenizer(on_host), text_options.lexicon()


@functools.cache
def _shard_builder(directory, text_options, options):
    vocabulary = text_options.tokenizer_settings().vocabulary
    marks_words = text_options.marks_words
    corpus = corpora.Corpus.open(directory, len(vocabulary), marks_words)
    return ShardBuilder(corpus, vocabulary, options, marks_words)
