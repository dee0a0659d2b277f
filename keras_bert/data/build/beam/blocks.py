"""The second half of the pipeline: documents to records, block by block.

Each pass deals all documents out to blocks at random, and a block is a small
corpus of which the examples are made as on one machine. A random second
sentence so comes from another document of the block; as every pass makes
other blocks of many random documents, that is as good as any document of the
text.
"""

import collections
import dataclasses
import hashlib

import apache_beam as beam
import numpy as np

from keras_bert.data.build.beam.tokenizing import corpus_of
from keras_bert.data.build.beam.tokenizing import tagged
from keras_bert.data.build.shards import ShardBuilder
from keras_bert.data.corpus.token_store import token_dtype

_BLOCK_TOKENS = 1 << 18
# That a block gets fewer than two documents then has a chance below 1e-25.
_BLOCK_DOCUMENTS = 64
# Pass and number in it.
Block = tuple[int, int]


def deal_out(document, options, counts):
    """Yields (block, document) for each pass.

    Args:
        document: `Document`.
        options: `PretrainingDataOptions`.
        counts: dict of the counts of the text.
    """
    num_blocks = min(
        -(-counts["tokens"] // _BLOCK_TOKENS),
        counts["documents"] // _BLOCK_DOCUMENTS,
    )
    for number in range(options.dupe_factor):
        place = _stable_hash(options.random_seed, number, *document[:2])
        yield (number, place % max(num_blocks, 1)), document


@beam.typehints.with_output_types(tuple[int, bytes])
class MakeExamples(beam.DoFn):
    """(block, documents) to (random number, record) and counts.

    Args:
        vocabulary: the tokenizer's.
        text_options: `TextOptions`, settled.
        options: `PretrainingDataOptions`.
    """

    def __init__(self, vocabulary, text_options, options):
        self._vocabulary = vocabulary
        self._segmented = text_options.segmented_words
        self._options = options

    def process(self, element):
        block, documents = element
        seed = _stable_hash(self._options.random_seed, *block)
        dtype = token_dtype(len(self._vocabulary), self._segmented)
        builder = ShardBuilder(
            corpus_of(sorted(documents), dtype),
            self._vocabulary,
            dataclasses.replace(self._options, dupe_factor=1, random_seed=seed),
            self._segmented,
        )
        counts = collections.Counter()
        rng = np.random.default_rng(seed)
        for records, batch in builder.batches(0, 1):
            counts.update(batch)
            for record in records:
                yield int(rng.integers(1 << 62)), record
        yield from tagged(counts)


def _stable_hash(*numbers):
    digest = hashlib.blake2b(repr(numbers).encode(), digest_size=8)
    return int(digest.hexdigest(), 16)
