"""Builder for independent record shards.

The corpus is split into blocks of documents. The unit of work is one pass over
one block: its examples depend only on the seed, the pass and the block. All
units are shuffled and distributed to the shards; in a shard, the examples of
many units are shuffled together. Therefore, the output does not depend on the
number of workers.
"""

import collections
import itertools
from collections.abc import Iterator

import numpy as np

from keras_bert import features
from keras_bert.pretraining.corpus.token_store import Corpus
from keras_bert.pretraining.records.encoding import serialize_examples
from keras_bert.pretraining.records.filling import ExampleRules
from keras_bert.pretraining.records.filling import dynamic_examples
from keras_bert.pretraining.records.filling import static_examples
from keras_bert.pretraining.records.layouts import LAYOUTS
from keras_bert.pretraining.records.masking_rules import MaskingRules
from keras_bert.pretraining.records.options import DataOptions
from keras_bert.pretraining.records.segments import Segments
from keras_bert.pretraining.records.segments import copy_tokens
from keras_bert.pretraining.records.text_rows import best_fit
from keras_bert.pretraining.records.text_rows import join_texts
from keras_bert.text.base_vocabulary import BaseVocabulary

_BLOCK_TOKENS = 1 << 18
_WINDOW_BLOCKS = 64
_BATCH_EXAMPLES = 1024
# Keep the random numbers of blocks and shards apart.
_BLOCK_STREAM, _SHARD_STREAM = 0, 1


class ShardBuilder:
    """Builder that creates the records of each shard.

    Args:
        corpus: at least two documents if the packing creates pairs.
        vocabulary: the vocabulary of the corpus.
        options: settings of the examples.
        segmented_words: whether the bit `CONTINUES` marks tokens that
            continue a word.
    """

    def __init__(
        self,
        corpus: Corpus,
        vocabulary: BaseVocabulary,
        options: DataOptions,
        segmented_words: bool = False,
    ) -> None:
        self._corpus = corpus
        self._options = options
        self._layout = LAYOUTS[options.packing]
        roles = vocabulary.roles.items()
        ids = {role: vocabulary.id_of(token) for role, token in roles}
        self._rules = ExampleRules(
            seq_length=options.max_seq_length,
            cls_id=ids["cls"],
            sep_id=ids["sep"],
            pad_id=ids["pad"],
            is_continuation=None
            if segmented_words
            else np.array(vocabulary.is_continuation),
            whole_words=options.do_whole_word_mask,
            masking=MaskingRules(
                options.masked_lm_prob,
                options.max_predictions_per_seq,
                ids["mask"],
                len(vocabulary),
                options.ngram,
            ),
        )

    def batches(
        self, shard: int, num_shards: int
    ) -> Iterator[tuple[list[bytes], collections.Counter[str]]]:
        """Yield the records of a shard, batch by batch.

        Args:
            shard: index of the shard.
            num_shards: number of shards.

        Yields:
            The records of a batch, and counts with the keys "examples";
            "random_next" or "swapped", examples with label 1, depending on the
            packing; "predictions", 0 for dynamic masking; "example_tokens"; and
            "cut_tokens", truncated tokens of the text.
        """
        seed = self._options.random_seed
        rng = np.random.default_rng((seed, _SHARD_STREAM, shard))
        units = self._units(num_shards)[shard::num_shards]
        for window in range(0, len(units), _WINDOW_BLOCKS):
            # Shuffle the examples of many units together.
            segments = Segments.concatenate(
                [self._segments(*u) for u in units[window:][:_WINDOW_BLOCKS]]
            )
            segments = segments[rng.permutation(len(segments))]
            copied, segments = copy_tokens(
                self._corpus, segments, self._rules.sep_id
            )
            num_texts = np.ones(len(segments), np.int64)  # (num_rows,)
            if self._layout.joins:
                rows = best_fit(segments.num_tokens, self._rules.seq_length)
                # The texts of a row become neighbors.
                segments = segments[np.argsort(rows, kind="stable")]
                num_texts = np.bincount(rows)
            # First text of each row, and the number of texts, (num_rows + 1,).
            edges = np.append(0, np.cumsum(num_texts))
            # A batch needs memory for one full row per text.
            step = _BATCH_EXAMPLES * len(num_texts) // max(len(segments), 1)
            for first in range(0, len(num_texts), max(step, 1)):
                rows = num_texts[first:][: max(step, 1)]
                texts = slice(edges[first], edges[first + len(rows)])
                yield self._batch(copied, segments[texts], rows, rng)

    def _units(self, num_shards: int) -> list[tuple[int, int, int]]:
        """Return shuffled (pass, first document, end document) tuples."""
        # First token of each document, and the end, (num_documents + 1,).
        starts = self._corpus.sentences[self._corpus.documents]
        # In a small corpus, blocks are smaller, so that each shard gets a unit.
        num_tokens = min(_BLOCK_TOKENS, 1 + starts[-1] // num_shards)
        goals = np.arange(0, starts[-1], num_tokens)
        # All goals within a long document give the same edge.
        edges = [*np.unique(np.searchsorted(starts, goals)), len(starts) - 1]
        if (len({*edges}) - 1) * self._options.dupe_factor < num_shards:
            edges = range(len(starts))  # Use one document per block.
        units = [
            (number, first, end)
            for number in range(self._options.dupe_factor)
            for first, end in itertools.pairwise(edges)
            if first < end
        ]
        rng = np.random.default_rng((self._options.random_seed, _SHARD_STREAM))
        return [units[index] for index in rng.permutation(len(units))]

    def _segments(self, number: int, first: int, end: int) -> Segments:
        """Sample the examples of a unit."""
        options = self._options
        segments = self._layout.sample(
            self._corpus,
            np.arange(first, end),
            options,
            np.random.default_rng(
                (options.random_seed, _BLOCK_STREAM, number, int(first))
            ),
        )
        self._corpus.release()
        return segments

    def _batch(
        self,
        corpus: Corpus,
        segments: Segments,
        num_texts: np.ndarray,
        rng: np.random.Generator,
    ) -> tuple[list[bytes], collections.Counter[str]]:
        """Return the records of the rows with these segments, and counts."""
        predictions = 0
        num_tokens = segments.num_tokens
        if self._options.masking == "dynamic":
            examples = dynamic_examples(corpus, segments, self._rules)
            if self._layout.joins:
                examples, num_tokens = join_texts(
                    examples, num_tokens, num_texts
                )
        else:
            examples = static_examples(corpus, segments, self._rules, rng)
            predictions = int(examples["masked_lm_weights"].sum())
        schema = features.FORMS[self._options.masking]
        records = serialize_examples(examples, schema, num_tokens)
        counts = collections.Counter(
            examples=len(num_texts),
            predictions=predictions,
            example_tokens=int(num_tokens.sum()),
            cut_tokens=int(segments.num_cut.sum()),
        )
        if self._layout.label:
            counts[self._layout.label] = int(segments.label.sum())
        return records, counts
