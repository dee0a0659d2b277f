"""The first half of the pipeline: chunks of text to tokenized documents."""

import collections
import os
import tempfile

import apache_beam as beam
import numpy as np

from keras_bert.data.build.beam.chunks import read_chunk
from keras_bert.data.corpus import token_store as corpora
from keras_bert.data.corpus.chunk_writer import ChunkWriter
from keras_bert.data.corpus.chunk_writer import batch_lines

# The name of the output of counts, which steps give beside their own.
COUNTS = "counts"
# Chunk, number in it, tokens, lengths of the sentences.
Document = tuple[int, int, bytes, bytes]


@beam.typehints.with_output_types(Document)
class TokenizeChunk(beam.DoFn):
    """(number, (path, offset)) of a chunk to its documents and counts.

    Args:
        settings: settings of a tokenizer; the worker may be a machine
            without the vocabulary's file.
        text_options: `TextOptions`, settled.
    """

    def __init__(self, settings, text_options):
        self._settings = settings
        self._text_options = text_options

    def setup(self):
        self._tokenizer = self._settings.tokenizer()

    def process(self, element):
        number, (path, first) = element
        segmented = self._text_options.segmented_words
        counts = collections.Counter()
        with tempfile.TemporaryDirectory() as directory:
            stem = os.path.join(directory, "chunk")
            lines = self._text_options.sentences(read_chunk(path, first))
            with ChunkWriter(stem, self._tokenizer, segmented) as writer:
                for batch in batch_lines(lines):
                    counts.update(writer.write(batch))
            if counts["documents"]:
                corpora.join_chunks([stem], directory)
                corpus = corpora.Corpus.open(
                    directory, len(self._settings.vocabulary), segmented
                )
                yield from _documents(corpus, number)
        yield from tagged(counts)


def _documents(corpus, chunk):
    for number in range(corpus.num_documents):
        begin, end = corpus.documents[number : number + 2]
        places = corpus.sentences[begin : end + 1]
        tokens = corpus.tokens[places[0] : places[-1]]
        lengths = np.diff(places).astype(np.uint32)
        yield chunk, number, tokens.tobytes(), lengths.tobytes()


def corpus_of(documents, dtype):
    """A corpus of documents.

    Args:
        documents: list of `Document`.
        dtype: NumPy type of their tokens.

    Returns:
        `Corpus`
    """
    _, _, tokens, lengths = zip(*documents)
    sentences = np.frombuffer(b"".join(lengths), np.uint32)
    num_sentences = [len(part) // sentences.itemsize for part in lengths]
    return corpora.Corpus(
        np.frombuffer(b"".join(tokens), dtype),
        np.concatenate([[0], np.cumsum(sentences, dtype=np.int64)]),
        np.concatenate([[0], np.cumsum(num_sentences, dtype=np.int64)]),
    )


def tagged(counts):
    """Yields the counts of a step, a dict, for its output `COUNTS`."""
    for count in counts.items():
        yield beam.pvalue.TaggedOutput(COUNTS, count)


@beam.ptransform_fn
def sum_counts(counts):
    """Pairs of a name and a number to one dict."""
    return counts | beam.CombinePerKey(sum) | beam.combiners.ToDict()
