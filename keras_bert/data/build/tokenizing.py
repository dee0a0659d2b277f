"""The first pass: chunks of the text become the corpus, mapped from disk."""

import collections
import dataclasses
import functools

from keras_bert.data.build.work_directory import finish_piece
from keras_bert.data.build.work_directory import read_piece
from keras_bert.data.build.work_directory import summed_counts
from keras_bert.data.build.workers import advance
from keras_bert.data.build.workers import run_pieces
from keras_bert.data.corpus import token_store as corpora
from keras_bert.data.corpus.chunk_writer import ChunkWriter
from keras_bert.data.corpus.chunk_writer import batch_lines
from keras_bert.data.corpus.json_lines import BadLines
from keras_bert.data.examples.options import TextOptions


@dataclasses.dataclass(frozen=True)
class TokenizedText:
    """What is known of the text.

    Args:
        counts: Counter.
        bad_lines: `BadLines`.
    """

    counts: collections.Counter
    bad_lines: BadLines


def tokenize(work, sources, text_options, num_workers):
    """Tokenizes the text, into the work directory.

    Args:
        work: `WorkDirectory`.
        sources: list of sources, as of `open_sources`.
        text_options: `TextOptions`, settled.
        num_workers: int, processes.

    Returns:
        `TokenizedText`
    """
    chunks = [
        _Chunk(source, place, work.stem(f"chunk-{number:05d}"), text_options)
        for number, (source, place) in enumerate(
            (source, place) for source in sources for place in source.chunks()
        )
    ]
    stems = [chunk.stem for chunk in chunks]
    if not corpora.is_joined(work.path):
        todo = [chunk for chunk in chunks if read_piece(chunk.stem) is None]
        _run(todo, num_workers)
        corpora.join_chunks(stems, work.path)
    counts = summed_counts(stems)
    listed = [read_piece(stem)["bad_lines"] for stem in stems]
    return TokenizedText(counts, BadLines(counts["bad_lines"], sum(listed, [])))


@dataclasses.dataclass(frozen=True)
class _Chunk:
    source: object
    place: tuple
    stem: str
    text_options: TextOptions


def _run(chunks, num_workers):
    total = sum(chunk.source.num_bytes(chunk.place) for chunk in chunks) / 1e6

    def describe(done, seconds):
        done = done / 1e6
        line = f"Tokenizing: {done:.1f} of {total:.1f} MB"
        if not done:  # The processes are starting.
            return f"{line}."
        # Of compressed files, more is done than was expected.
        left = max(total - done, 0.0) / done * seconds
        return f"{line}, {done / seconds:.1f} MB/s, {left:.0f} s left."

    try:
        for _ in run_pieces(_tokenize_chunk, chunks, num_workers, describe):
            pass
    finally:
        _tokenizer.cache_clear()


def _tokenize_chunk(chunk):
    is_skipping = chunk.text_options.on_bad_line == "skip"
    bad_lines = BadLines()
    lines = chunk.text_options.sentences(
        chunk.source.lines(chunk.place, bad_lines if is_skipping else None)
    )
    counts = collections.Counter()
    with ChunkWriter(
        chunk.stem,
        _tokenizer(chunk.text_options),
        chunk.text_options.segmented_words,
    ) as writer:
        for batch in batch_lines(lines):
            counts.update(writer.write(batch))
            advance(sum(map(len, batch)) + len(batch))
    if is_skipping:
        counts["bad_lines"] = bad_lines.count
    finish_piece(chunk.stem, counts, bad_lines=bad_lines.listed)


@functools.cache
def _tokenizer(text_options):
    return text_options.make_tokenizer()
