"""Base class for tokenizers that normalize texts first, as BERT does."""

import collections.abc
import typing

import tensorflow as tf

from keras_bert.text.normalization.normalizers import normalizer_model
from keras_bert.text.pieces import Pieces
from keras_bert.text.pieces import normalizer_op
from keras_bert.text.pieces import original_spans
from keras_bert.text.tokenizer import Tokenizer
from keras_bert.text.tokenizer import batch_or_scalar
from keras_bert.text.tokenizer import graph_constant
from keras_bert.text.tokenizer_settings import FileDefinedTokenizer
from keras_bert.typing import Texts

if typing.TYPE_CHECKING:
    import tensorflow_text as tf_text


class NormalizingTokenizer(Tokenizer):
    """Base class for tokenizers that normalize texts first, as BERT does.

    A subclass implements `_pieces`. It overrides `_tokenize` if it matches
    tokens in raw texts.

    Args:
        settings: the settings of the tokenizer.
        lowercase: whether to lower-case texts.
        strip_accents: whether to drop accents.
    """

    def __init__(
        self,
        settings: FileDefinedTokenizer,
        lowercase: bool,
        strip_accents: bool,
    ) -> None:
        super().__init__(settings)
        self._table = normalizer_model(lowercase, strip_accents)

    @batch_or_scalar
    def __call__(self, texts: Texts) -> tf.RaggedTensor | tf.Tensor:
        pieces = self._tokenize(texts, self._cut)
        return pieces.ragged(pieces.ids)

    @batch_or_scalar
    def tokenize_with_offsets(
        self, texts: Texts
    ) -> tuple[tf.RaggedTensor, ...]:
        """Tokenize texts and return the byte offsets of the tokens.

        Spans begin and end between characters and are never empty. A span
        also covers dropped accents and control characters that follow. If a
        character is decomposed into several pieces, they have the same span.

        Args:
            texts: string tensor or list `(batch_size,)`, UTF-8.

        Returns:
            Three RaggedTensors `(batch_size, (num_tokens))`: ids, int32;
            starts and ends, int64, byte offsets into the raw text.
        """
        pieces = self._tokenize(texts, self._cut_with_offsets)
        return tuple(map(pieces.ragged, pieces[:3]))

    @graph_constant
    def _normalizer(self) -> "tf_text.FastBertNormalizer":
        return normalizer_op(self._table)

    def _tokenize(
        self,
        texts: tf.Tensor,
        cut: collections.abc.Callable[[tf.Tensor], Pieces],
    ) -> Pieces:
        """Tokenize texts with `cut`, and match tokens in raw texts."""
        return cut(texts)

    def _cut(self, texts: tf.Tensor) -> Pieces:
        """Tokenize texts and return offsets into the normalized texts."""
        return self._pieces(self._normalizer.normalize(texts))

    def _cut_with_offsets(self, texts: tf.Tensor) -> Pieces:
        """Tokenize texts and return offsets into the raw texts."""
        normalized, offsets = self._normalizer.normalize_with_offsets(texts)
        return original_spans(self._pieces(normalized), offsets)

    def _pieces(self, normalized: tf.Tensor) -> Pieces:
        """Tokenize normalized texts, and return offsets into them."""
        raise NotImplementedError
