"""The second pass: each shard of records is built from all of the corpus."""

import collections
import dataclasses
import functools
import pathlib

from keras_bert import artifacts
from keras_bert.data.build.shards import ShardBuilder
from keras_bert.data.build.work_directory import finish_piece
from keras_bert.data.build.work_directory import read_piece
from keras_bert.data.build.work_directory import summed_counts
from keras_bert.data.build.workers import advance
from keras_bert.data.build.workers import run_pieces
from keras_bert.data.corpus.token_store import Corpus
from keras_bert.data.examples.options import PretrainingDataOptions
from keras_bert.data.examples.options import TextOptions
from keras_bert.data.records.framing import write_records


def write_shards(work, text_options, options, num_workers):
    """Writes the shards that are not there yet, into the work directory.

    Args:
        work: `WorkDirectory` with the corpus.
        text_options: `TextOptions`, settled.
        options: `PretrainingDataOptions`.
        num_workers: int, processes.

    Returns:
        The counts of the records, a Counter.

    Raises:
        ValueError: a shard gets no example.
    """
    stems = work.shard_stems
    shards = [
        _Shard(work.path, len(stems), text_options, options, number, stem)
        for number, stem in enumerate(stems)
    ]
    _run([x for x in shards if read_piece(x.stem) is None], num_workers)
    for stem in stems:
        if not read_piece(stem)["counts"].get("examples"):
            raise ValueError(
                "Output files must be fewer: the text does not suffice to "
                f"give each an example. Received: {len(stems)} files."
            )
    return summed_counts(stems)


@dataclasses.dataclass(frozen=True)
class _Shard:
    directory: pathlib.Path
    num_shards: int
    text_options: TextOptions
    options: PretrainingDataOptions
    number: int
    stem: str


def _run(shards, num_workers):
    def describe(done, seconds):
        return (
            f"Writing {len(shards)} shard(s): {done} examples, "
            f"{done / seconds:.0f} examples/s."
        )

    try:
        for _ in run_pieces(_write_shard, shards, num_workers, describe):
            pass
    finally:
        _shard_builder.cache_clear()


def _write_shard(shard):
    builder = _shard_builder(shard.directory, shard.text_options, shard.options)
    counts = collections.Counter()
    path = f"{shard.stem}.tfrecord"
    with artifacts.whole_file(path) as name, open(name, "wb") as file:
        for records, batch in builder.batches(shard.number, shard.num_shards):
            write_records(file, records)
            counts.update(batch)
            advance(batch["examples"])
    finish_piece(shard.stem, counts, file=artifacts.file_entry(path))


@functools.cache
def _shard_builder(directory, text_options, options):
    vocabulary = text_options.tokenizer_settings().vocabulary
    segmented = text_options.segmented_words
    corpus = Corpus.open(directory, len(vocabulary), segmented)
    return ShardBuilder(corpus, vocabulary, options, segmented)
