"""WordPiece tokenizer that runs in the graph."""

import collections.abc
import functools

import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.text.added_tokens import SplitAtTokens
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.normalizing_tokenizer import NormalizingTokenizer
from keras_bert.text.pieces import Pieces
from keras_bert.text.tokenizer import graph_constant
from keras_bert.text.wordpiece.replacements import BYTES_PER_CHARACTER
from keras_bert.text.wordpiece.replacements import LongWords
from keras_bert.text.wordpiece.replacements import SpecialTokenMatcher
from keras_bert.text.wordpiece.replacements import with_opening
from keras_bert.text.wordpiece.settings import WordpieceSettings
from keras_bert.text.wordpiece.vocabulary import ROLES
from keras_bert.text.wordpiece.vocabulary import Vocabulary
from keras_bert.typing import Path


class BertTokenizer(NormalizingTokenizer):
    """WordPiece tokenizer of google-research/bert.

    It consists of graph ops only and runs eagerly, in `tf.data`, in a
    SavedModel and in TFLite. The ops are created on first use, so one
    tokenizer can be used in many graphs. docs/tokenization.md lists the
    differences from the published tokenizers.

    Args:
        vocabulary: the vocabulary, or the path of a `vocab.txt`.
        lowercase: whether to lower-case texts, as in "uncased" models.
        strip_accents: whether to drop accents. Defaults to `lowercase`.
        tokenize_chinese_chars: must be True, so that each Chinese character is
            a word.
        special_tokens_in_text: whether to convert special tokens in texts, such
            as [MASK], to their ids. If False, they are plain text.
        max_chars_per_word: maximum number of characters in a word. Longer words
            become [UNK].
        added_tokens: tokens of the vocabulary to match before texts are split
            into words.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, UTF-8; or a single str.

    Returns:
        A RaggedTensor, int32 `(batch_size, (num_tokens))`; for a single str, a
        tensor `(num_tokens,)`.

    Example:

    >>> tokenizer = keras_bert.text.BertTokenizer("vocab.txt")
    >>> tokenizer(["some text"])
    <tf.RaggedTensor [[2070, 3793]]>

    References:
        [Fast WordPiece](https://arxiv.org/abs/2012.15524)
    """

    vocabulary: Vocabulary

    def __init__(
        self,
        vocabulary: Vocabulary | Path,
        lowercase: bool = True,
        strip_accents: bool | None = None,
        tokenize_chinese_chars: bool = True,
        special_tokens_in_text: bool = False,
        max_chars_per_word: int = 200,
        added_tokens: collections.abc.Iterable[AddedToken] = (),
    ) -> None:
        settings = WordpieceSettings(
            vocabulary,
            lowercase,
            strip_accents,
            tokenize_chinese_chars,
            special_tokens_in_text,
            max_chars_per_word,
            added_tokens,
        )
        super().__init__(settings, lowercase, settings.strip_accents)
        self.lowercase = lowercase
        self.strip_accents = settings.strip_accents
        self.max_chars_per_word = max_chars_per_word

    @functools.cached_property
    def _known(self) -> Vocabulary:
        if self.settings.special_tokens_in_text and not self._split_given:
            return with_opening(self.vocabulary)
        return self.vocabulary

    @graph_constant
    def _wordpiece(self) -> tf_text.FastWordpieceTokenizer:
        hidden = {token.text for token in self.settings.added_tokens}
        return tf_text.FastWordpieceTokenizer(
            vocab=self._known.op_tokens(hidden),
            token_out_type=tf.int32,
            max_bytes_per_word=BYTES_PER_CHARACTER * self.max_chars_per_word,
        )

    @graph_constant
    def _shorten(self) -> LongWords:
        return LongWords(self._known, self.max_chars_per_word)

    @graph_constant
    def _find_special_tokens(self) -> SpecialTokenMatcher:
        return SpecialTokenMatcher(self.vocabulary, self._cut)

    @graph_constant
    def _split_given(self) -> SplitAtTokens | None:
        """Callable that splits raw texts at added tokens, if any."""
        settings, ids = self.settings, self.settings.raw_token_ids
        is_plain = (
            self.vocabulary.roles == ROLES and not settings.matched_tokens
        )
        return SplitAtTokens(ids) if ids and not is_plain else None

    @graph_constant
    def _split_normalized(self) -> SplitAtTokens | None:
        """Callable that splits normalized texts at added tokens, if any."""
        matched = self.settings.matched_tokens
        tokens = [token.text for token in matched if token.is_normalized]
        texts = self._normalizer.normalize(tf.constant(tokens, tf.string))
        ids = {
            text.decode(): self.vocabulary.id_of(token)
            for text, token in zip(texts.numpy(), tokens, strict=True)
            if text
        }
        return SplitAtTokens(ids) if ids else None

    def _tokenize(
        self,
        texts: tf.Tensor,
        cut: collections.abc.Callable[[tf.Tensor], Pieces],
    ) -> Pieces:
        """Tokenize texts with `cut` and match special and added tokens."""
        if self._split_given:
            return self._split_given(texts, cut)
        pieces = cut(texts)
        if self.settings.special_tokens_in_text:
            pieces = self._find_special_tokens(pieces, texts)
        return pieces

    def _pieces(self, normalized: tf.Tensor) -> Pieces:
        if self._split_normalized:
            return self._split_normalized(normalized, self._words)
        return self._words(normalized)

    def _words(self, normalized: tf.Tensor) -> Pieces:
        ids, starts, ends = self._wordpiece.tokenize_with_offsets(normalized)
        flat = (tokens.flat_values for tokens in (ids, starts, ends))
        return self._shorten(Pieces(*flat, ids.row_splits))
