"""Pipeline steps that convert chunks to documents and documents to records.

Each pass assigns the documents to random blocks. A block is a small corpus, and
its examples are created as on one machine. A random second sentence comes from
another document of the same block. Each pass has different blocks of many
random documents, so this is equivalent to sampling from the whole text.
"""

import collections
import dataclasses
import hashlib
import os
import tempfile

import apache_beam as beam
import numpy as np

from keras_bert.beam.data.chunks import read_chunk
from keras_bert.pretraining.corpus import token_store as corpora
from keras_bert.pretraining.corpus.chunk_writer import ChunkWriter
from keras_bert.pretraining.corpus.chunk_writer import batch_lines
from keras_bert.pretraining.records.shards import ShardBuilder

# Name of the extra output in which the steps report counts.
COUNTS = "counts"
_BLOCK_TOKENS = 1 << 18
# The probability of a block with fewer than two documents is below 1e-25.
_BLOCK_DOCUMENTS = 64
# Chunk index, document index in the chunk, tokens, sentence lengths.
Document = tuple[int, int, bytes, bytes]
# Pass index, block index in the pass.
Block = tuple[int, int]


@beam.typehints.with_output_types(Document)
class TokenizeChunk(beam.DoFn):
    """Step that converts chunks, (index, (path, offset)), to `Document`s.

    The second output, `COUNTS`, has (name, count) pairs, such as the number of
    documents in the chunk.

    Args:
        settings: settings of the tokenizer. Workers do not need the vocabulary
            file.
        text_options: resolved `TextOptions`.
    """

    def __init__(self, settings, text_options):
        self._settings = settings
        self._text_options = text_options
        self._lexicon = text_options.lexicon()

    def setup(self):
        self._tokenizer = self._settings.make()

    def process(self, element):
        number, (path, first) = element
        options = self._text_options
        counts = collections.Counter()
        with tempfile.TemporaryDirectory() as directory:
            stem = os.path.join(directory, "chunk")
            lines = options.sentences(read_chunk(path, first))
            segmented, lexicon = options.segmented_words, self._lexicon
            with ChunkWriter(
                stem, self._tokenizer, segmented, lexicon
            ) as writer:
                for batch in batch_lines(lines):
                    counts.update(writer.write(batch))
            if counts["documents"]:
                corpora.join_chunks([stem], directory)
                corpus = corpora.Corpus.open(
                    directory,
                    len(self._settings.vocabulary),
                    options.marks_words,
                )
                yield from _documents(corpus, number)
        yield from _tagged(counts)


def _documents(corpus, chunk):
    for number in range(corpus.num_documents):
        begin, end = corpus.documents[number : number + 2]
        splits = corpus.sentences[begin : end + 1]
        tokens = corpus.tokens[splits[0] : splits[-1]]
        lengths = np.diff(splits).astype(np.uint32)
        yield chunk, number, tokens.tobytes(), lengths.tobytes()


def _corpus_of(documents, dtype):
    """Convert `Document`s to a `Corpus` with the given token dtype."""
    _, _, tokens, lengths = zip(*documents, strict=True)
    sentences = [np.frombuffer(part, np.uint32) for part in lengths]
    return corpora.Corpus.of_lengths(
        np.frombuffer(b"".join(tokens), dtype),
        np.concatenate(sentences),
        [*map(len, sentences)],
    )


def _tagged(counts):
    """Yield the counts of a step, tagged for the output `COUNTS`."""
    for count in counts.items():
        yield beam.pvalue.TaggedOutput(COUNTS, count)


@beam.ptransform_fn
def sum_counts(counts):
    """Add up (name, count) pairs and return a dict."""
    return counts | beam.CombinePerKey(sum) | beam.combiners.ToDict()


def assign_blocks(document, options, counts):
    """Assign a document to a random block in each pass.

    Args:
        document: `Document`.
        options: `DataOptions`.
        counts: dict of the counts of the text.

    Yields:
        (block, document) pairs.
    """
    num_blocks = min(
        -(-counts["tokens"] // _BLOCK_TOKENS),
        counts["documents"] // _BLOCK_DOCUMENTS,
    )
    for number in range(options.dupe_factor):
        shuffled = _stable_hash(options.random_seed, number, *document[:2])
        yield (number, shuffled % max(num_blocks, 1)), document


@beam.typehints.with_output_types(tuple[int, bytes])
class MakeExamples(beam.DoFn):
    """Step that converts (block, documents) to (random number, record).

    The second output, `COUNTS`, has (name, count) pairs for the block.

    Args:
        vocabulary: the vocabulary of the tokenizer.
        text_options: resolved `TextOptions`.
        options: `DataOptions`.
    """

    def __init__(self, vocabulary, text_options, options):
        self._vocabulary = vocabulary
        self._marks_words = text_options.marks_words
        self._options = options

    def process(self, element):
        block, documents = element
        seed = _stable_hash(self._options.random_seed, *block)
        dtype = corpora.token_dtype(len(self._vocabulary), self._marks_words)
        builder = ShardBuilder(
            _corpus_of(sorted(documents), dtype),
            self._vocabulary,
            dataclasses.replace(self._options, dupe_factor=1, random_seed=seed),
            self._marks_words,
        )
        counts = collections.Counter()
        rng = np.random.default_rng(seed)
        for records, batch in builder.batches(0, 1):
            counts.update(batch)
            for record in records:
                yield int(rng.integers(1 << 62)), record
        yield from _tagged(counts)


def _stable_hash(*numbers):
    digest = hashlib.blake2b(repr(numbers).encode(), digest_size=8)
    return int(digest.hexdigest(), 16)
