"""Byte-level BPE tokenizer that runs in the graph."""

import collections.abc
import copy
import dataclasses
import functools

import numpy as np
import tensorflow as tf

from keras_bert.text.added_tokens import FindTokens
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.bpe.byte_settings import BytePairSettings
from keras_bert.text.bpe.byte_vocabulary import BytePairVocabulary
from keras_bert.text.bpe.byte_vocabulary import spelled_bytes
from keras_bert.text.bpe.byte_vocabulary import token_bytes
from keras_bert.text.bpe.merges import BytePairMerges
from keras_bert.text.bpe.words import NOT_WHOLE
from keras_bert.text.bpe.words import whole_words
from keras_bert.text.bpe.words import word_starts
from keras_bert.text.flat_texts import flatten
from keras_bert.text.flat_texts import in_rows
from keras_bert.text.flat_texts import scatter
from keras_bert.text.flat_texts import where
from keras_bert.text.flat_texts import with_prefix_space
from keras_bert.text.normalization.character_kinds import character_kinds
from keras_bert.text.normalization.composition import Composition
from keras_bert.text.tokenizer import Tokenizer
from keras_bert.text.tokenizer import batch_or_scalar
from keras_bert.text.tokenizer import graph_constant
from keras_bert.typing import Path
from keras_bert.typing import Texts


class BytePairTokenizer(Tokenizer):
    """Byte-level BPE tokenizer of RoBERTa and ModernBERT.

    It uses only TensorFlow's own ops, without lookup tables, and runs eagerly,
    in `tf.data` and in a SavedModel. Its constants are created on first use,
    which takes seconds; one tokenizer can be used in many graphs.
    docs/tokenization.md lists the comparisons with the published tokenizers.

    Args:
        vocabulary: the vocabulary, or the path of a `vocab.json`.
        merges: pairs of tokens in the order of their ranks, or the path of a
            `merges.txt`.
        add_prefix_space: whether to add a space to texts that do not begin with
            one.
        special_tokens_in_text: whether to convert special tokens in texts, such
            as <mask>, to their ids. If False, they are plain text.
        normalizer: "NFC", or None to skip normalization.
        added_tokens: tokens to match before tokenization. Special tokens are
            matched only if `special_tokens_in_text` is True. The special tokens
            of the vocabulary are included automatically.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, UTF-8; or a single str.
            A byte that is not part of a character counts as a symbol.

    Returns:
        A RaggedTensor, int32 `(batch_size, (num_tokens))`; for a single str, a
        tensor `(num_tokens,)`.

    Example:

    >>> tokenizer = keras_bert.text.BytePairTokenizer(
    ...     "vocab.json", "merges.txt"
    ... )
    >>> tokenizer(["Hello world"])
    <tf.RaggedTensor [[31414, 232]]>

    References:
        [Language Models are Unsupervised Multitask Learners](
        https://openai.com/research/better-language-models), section 2.2
    """

    def __init__(
        self,
        vocabulary: BytePairVocabulary | Path,
        merges: collections.abc.Iterable[tuple[str, str]] | Path,
        add_prefix_space: bool = False,
        special_tokens_in_text: bool = False,
        normalizer: str | None = None,
        added_tokens: collections.abc.Iterable[AddedToken] = (),
    ) -> None:
        settings = BytePairSettings(
            vocabulary,
            merges,
            add_prefix_space,
            special_tokens_in_text,
            normalizer,
            added_tokens,
        )
        super().__init__(settings)

    def with_special_tokens(self) -> "BytePairTokenizer":
        """Return a copy of the tokenizer with `special_tokens_in_text=True`."""
        other = copy.copy(self)  # The copy shares the existing tables.
        other.settings = dataclasses.replace(
            self.settings, special_tokens_in_text=True
        )
        return other

    # AutoGraph is not needed, and would make tracing ten times slower.
    @tf.autograph.experimental.do_not_convert
    @batch_or_scalar
    def __call__(self, texts: Texts) -> tf.RaggedTensor | tf.Tensor:
        flat, _ = self._cut(texts)
        _, ids = in_rows(flat)
        return ids

    @tf.autograph.experimental.do_not_convert
    @batch_or_scalar
    def tokenize_with_offsets(
        self, texts: Texts
    ) -> tuple[tf.RaggedTensor, ...]:
        """Tokenize texts and return the byte offsets of the tokens.

        As in RoBERTa, spans do not include spaces (U+0020) at the ends of a
        token; if a token consists of spaces only, its span is empty. If a token
        is part of a character, its span is the whole character.

        Args:
            texts: string tensor or list `(batch_size,)`, UTF-8.

        Returns:
            Three RaggedTensors `(batch_size, (num_tokens))`: ids, int32;
            starts and ends, int64, byte offsets into the raw text.
        """
        flat, characters = self._cut(texts)
        positions, ids = in_rows(flat)
        rows = tf.cast(ids.value_rowids(), tf.int32)
        base = tf.gather(tf.gather(flat.origins, flat.separators) + 1, rows)
        first, last = (tf.gather(x, ids.values) for x in self._spans)
        # An unknown id is either a byte without a token or "[UNK]" in the text,
        # which begins with an ASCII byte.
        is_byte = tf.equal(ids.values, self.vocabulary.unk_id)
        is_byte &= tf.gather(flat.bytes, positions) >= 0x80
        last = tf.where(is_byte, 1, last)
        firsts, lasts = _character_bounds(flat.origins, characters)
        first = tf.gather(firsts, positions + first)
        last = tf.gather(lasts, positions + last)
        starts = tf.gather(flat.origins, first)
        if flat.ends is None:
            ends = tf.gather(flat.origins, last)
        else:
            ends = tf.gather(flat.ends, last - 1)
            starts = tf.minimum(starts, ends)
        starts, ends = (
            ids.with_values(tf.cast(x - base, tf.int64)) for x in (starts, ends)
        )
        return ids, starts, ends

    @graph_constant
    def _merge(self):
        return BytePairMerges(self.vocabulary, self.settings.merges)

    @graph_constant
    def _compose(self):
        return Composition()

    @functools.cached_property
    def _find_special(self):
        return self._finder(is_special=True)

    @functools.cached_property
    def _find_others(self):
        return self._finder(is_special=False)

    def _finder(self, is_special):
        id_of, added = self.vocabulary.id_of, self.settings.added_tokens
        tokens = [token for token in added if token.is_special is is_special]
        takes_space = [id_of(t.text) for t in tokens if t.takes_space]
        ids = {token.text: id_of(token.text) for token in tokens}
        with tf.init_scope():
            return FindTokens(ids, takes_space) if tokens else None

    @graph_constant
    def _whole_words(self):
        ids = self.vocabulary.ids.items()
        words = {spelled_bytes(token): index for token, index in ids}
        words.pop(None, None)  # Tokens such as <s> are not byte-level.
        return whole_words(words, [*words], self._merge)

    @graph_constant
    def _spans(self):
        """Start and end of the bytes of each token without outer spaces."""
        spans = []
        for token in self.vocabulary.tokens:
            spelled = token_bytes(token)
            start = len(spelled) - len(spelled.lstrip(b" "))
            spans.append((start, max(start, len(spelled.rstrip(b" ")))))
        return tf.unstack(tf.constant(np.array(spans, np.int32).T))

    def _cut(self, texts):
        """Tokenize texts and return `FlatTexts` and `LongCharacters`."""
        flat = flatten(texts)
        if self.settings.special_tokens_in_text:
            flat = self._find_special(flat)
        if self.settings.normalizer:
            flat = self._compose(flat)
        if self._find_others:
            flat = self._find_others(flat)
        if self.settings.add_prefix_space:
            flat = with_prefix_space(flat)
        kinds, characters = character_kinds(flat)
        starts = word_starts(flat, kinds, characters)
        ends = tf.concat([starts, tf.shape(kinds)], 0)[1:]
        is_word = tf.gather(flat.is_text, starts)
        starts, ends = (tf.boolean_mask(x, is_word) for x in (starts, ends))
        ids = self._whole_words(flat, starts, ends - starts)
        rest = where(tf.equal(ids, NOT_WHOLE))
        positions = tf.ragged.range(
            *(tf.gather(x, rest) for x in (starts, ends))
        )
        merged = self._merge(
            tf.gather(flat.bytes, positions.flat_values),
            positions.value_rowids(),
        )
        tokens = scatter(
            flat.tokens,
            tf.concat([starts, positions.flat_values], 0),
            tf.concat([ids, merged], 0),
        )
        return flat._replace(tokens=tokens), characters


def _character_bounds(origins, characters):
    """Return the start and end of each byte's character."""
    ends = characters.starts + characters.lengths
    inside = tf.ragged.range(characters.starts + 1, ends)
    rows = inside.value_rowids()
    return tuple(
        scatter(
            tf.range(tf.size(origins)),
            inside.flat_values,
            tf.gather(bounds, rows),
        )
        for bounds in (characters.starts, ends)
    )
