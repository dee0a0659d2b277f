"""The data tool: text files in, shuffled pre-training records out."""

import dataclasses
import tempfile

import numpy as np
import tensorflow as tf
from absl import logging

from keras_bert.data.corpus import tokenize_corpus
from keras_bert.data.examples import make_examples
from keras_bert.data.files import whole_file
from keras_bert.data.masking import MaskingRules
from keras_bert.data.records import serialize_examples
from keras_bert.data.sentence_pairs import SentencePairs
from keras_bert.data.sentence_pairs import sample_sentence_pairs
from keras_bert.text.vocabulary import CLS
from keras_bert.text.vocabulary import MASK
from keras_bert.text.vocabulary import SEP

_BLOCK_TOKENS = 1 << 18
_WINDOW_BLOCKS = 64
_BATCH_EXAMPLES = 1024
_BLOCK_STREAM, _SHARD_STREAM = 0, 1


@dataclasses.dataclass(frozen=True)
class PretrainingDataOptions:
    """What the examples look like, in google-research/bert's words.

    Args:
        max_seq_length: int, length of the packed sequences.
        max_predictions_per_seq: int, most masked tokens in one.
        masked_lm_prob: float, share of the tokens to mask.
        short_seq_prob: float, share of documents walked with a random
            shorter target length.
        dupe_factor: int, passes over the text, masked differently each.
        random_seed: int; the same seed gives the same bytes.
        do_whole_word_mask: bool, mask all pieces of a word or none.

    Raises:
        ValueError: the lengths cannot hold a pair or its predictions.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), appendix A.1 and A.2
    """

    max_seq_length: int = 128
    max_predictions_per_seq: int = 20
    masked_lm_prob: float = 0.15
    short_seq_prob: float = 0.1
    dupe_factor: int = 10
    random_seed: int = 12345
    do_whole_word_mask: bool = False

    def __post_init__(self):
        if self.max_seq_length < 5:
            raise ValueError(
                "`max_seq_length` must be at least 5, to hold [CLS] A [SEP] "
                f"B [SEP]. Received: max_seq_length={self.max_seq_length}."
            )
        if not 0 < self.max_predictions_per_seq <= self.max_seq_length - 3:
            raise ValueError(
                "`max_predictions_per_seq` must be at least 1 and at most "
                "`max_seq_length` - 3. Received: max_predictions_per_seq="
                f"{self.max_predictions_per_seq}, "
                f"max_seq_length={self.max_seq_length}."
            )
        if not 0 < self.masked_lm_prob < 1:
            raise ValueError(
                "`masked_lm_prob` must be above 0 and below 1. "
                f"Received: masked_lm_prob={self.masked_lm_prob}."
            )
        if not 0 <= self.short_seq_prob <= 1:
            raise ValueError(
                "`short_seq_prob` must be from 0 to 1. "
                f"Received: short_seq_prob={self.short_seq_prob}."
            )
        if self.dupe_factor < 1 or self.random_seed < 0:
            raise ValueError(
                "`dupe_factor` must be at least 1 and `random_seed` at least "
                f"0. Received: dupe_factor={self.dupe_factor}, "
                f"random_seed={self.random_seed}."
            )


@dataclasses.dataclass
class Counts:
    """What was read and written."""

    documents: int = 0
    sentences: int = 0
    tokens: int = 0
    examples: int = 0
    random_next: int = 0
    predictions: int = 0
    example_tokens: int = 0


def create_pretraining_data(input_files, output_files, tokenizer, options):
    """Writes records of masked sentence pairs.

    Args:
        input_files: list of str, UTF-8 files with a sentence a line and a
            blank line between documents.
        output_files: list of str, the TFRecord files to share the examples
            out to. Each appears whole or not at all.
        tokenizer: a `BertTokenizer`.
        options: `PretrainingDataOptions`.

    Returns:
        `Counts`.

    Raises:
        ValueError: an input is no text, or the input is one document.

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3.1
    """
    counts = Counts()
    with tempfile.TemporaryDirectory() as directory:
        corpus = tokenize_corpus(input_files, tokenizer, directory)
        _check_documents(corpus, input_files)
        counts.documents = corpus.num_documents
        counts.sentences = corpus.num_sentences
        counts.tokens = len(corpus.tokens)
        logging.info(
            "Read %d documents, %d sentences, %d word pieces.",
            counts.documents,
            counts.sentences,
            counts.tokens,
        )
        builder = _ShardBuilder(corpus, tokenizer.vocabulary, options)
        for shard, path in enumerate(output_files):
            builder.write(shard, len(output_files), path, counts)
            logging.info("Wrote %s: %d examples.", path, counts.examples)
    return counts


def _check_documents(corpus, input_files):
    if corpus.num_documents < 2:
        raise ValueError(
            "Input must hold at least two documents, for half of the second "
            "sentences come from another one. Put a blank line between "
            f"documents. Received: 1 document in {', '.join(input_files)}."
        )


class _ShardBuilder:
    """Writes any shard of a corpus, independently of the others.

    The corpus is cut into blocks of documents. A pass over a block is the
    unit of work: its pairs depend on the seed, the pass and the block alone.
    All units are shuffled and dealt out to the shards, and in a shard the
    pairs of many units are shuffled together.
    """

    def __init__(self, corpus, vocabulary, options):
        self._corpus = corpus
        self._options = options
        self._special_ids = vocabulary.id_of(CLS), vocabulary.id_of(SEP)
        self._rules = MaskingRules(
            options.masked_lm_prob,
            options.max_predictions_per_seq,
            vocabulary.id_of(MASK),
            len(vocabulary),
            np.array([token.startswith("##") for token in vocabulary.tokens])
            if options.do_whole_word_mask
            else None,
        )

    def write(self, shard, num_shards, path, counts):
        seed = self._options.random_seed
        rng = np.random.default_rng((seed, _SHARD_STREAM, shard))
        units = self._units(num_shards)[shard::num_shards]
        with whole_file(path) as name, tf.io.TFRecordWriter(name) as writer:
            for window in range(0, len(units), _WINDOW_BLOCKS):
                pairs = SentencePairs.concatenate(
                    [self._pairs(*u) for u in units[window:][:_WINDOW_BLOCKS]]
                )
                pairs = pairs[rng.permutation(len(pairs))]
                for first in range(0, len(pairs), _BATCH_EXAMPLES):
                    rows = slice(first, first + _BATCH_EXAMPLES)
                    self._write_batch(pairs[rows], rng, writer, counts)

    def _units(self, num_shards):
        """All (pass, first document, end document), in random order."""
        starts = self._corpus.sentences[self._corpus.documents]
        num_tokens = min(_BLOCK_TOKENS, 1 + starts[-1] // num_shards)
        goals = np.arange(0, starts[-1], num_tokens)
        edges = [*np.unique(np.searchsorted(starts, goals)), len(starts) - 1]
        units = [
            (number, first, end)
            for number in range(self._options.dupe_factor)
            for first, end in zip(edges, edges[1:])
            if first < end
        ]
        rng = np.random.default_rng((self._options.random_seed, _SHARD_STREAM))
        return [units[index] for index in rng.permutation(len(units))]

    def _pairs(self, number, first, end):
        options = self._options
        return sample_sentence_pairs(
            self._corpus,
            np.arange(first, end),
            options.max_seq_length - 3,
            options.short_seq_prob,
            np.random.default_rng(
                (options.random_seed, _BLOCK_STREAM, number, first)
            ),
        )

    def _write_batch(self, pairs, rng, writer, counts):
        examples = make_examples(
            self._corpus,
            pairs,
            self._options.max_seq_length,
            self._special_ids,
            self._rules,
            rng,
        )
        for serialized in serialize_examples(examples):
            writer.write(serialized)
        counts.examples += len(pairs)
        counts.random_next += int(pairs.is_random.sum())
        counts.predictions += int(examples["masked_lm_weights"].sum())
        counts.example_tokens += int(examples["input_mask"].sum())
