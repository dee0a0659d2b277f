"""SentencePiece tokenizer that runs in the graph."""

import functools

import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.text.conventions import MODEL
from keras_bert.text.conventions import OTHER_SPACES
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.normalization.replacements import build_table
from keras_bert.text.pieces import Pieces
from keras_bert.text.pieces import mark_in_place
from keras_bert.text.pieces import normalizer_op
from keras_bert.text.pieces import original_spans
from keras_bert.text.scalars import batch_or_scalar
from keras_bert.text.sentencepiece.model import CONTROL
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import Piece
from keras_bert.text.sentencepiece.model_rules import MARKS
from keras_bert.text.sentencepiece.model_rules import NO_MARK
from keras_bert.text.sentencepiece.model_rules import LibrarySpans
from keras_bert.text.sentencepiece.model_rules import marked_pieces
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.sentencepiece.spans import PieceSpans
from keras_bert.text.sentencepiece.special_tokens import finding_charsmap
from keras_bert.text.sentencepiece.special_tokens import marked
from keras_bert.text.sentencepiece.special_tokens import marking_table
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary
from keras_bert.text.tokenizer import Tokenizer
from keras_bert.text.tokenizer import graph_constant
from keras_bert.typing import Path
from keras_bert.typing import Texts


class SentencePieceTokenizer(Tokenizer):
    """SentencePiece tokenizer of ALBERT, DeBERTa and XLM-RoBERTa.

    It consists of graph ops only and runs eagerly, in `tf.data`, in a
    SavedModel and in TFLite. docs/tokenization.md lists the differences from
    the published tokenizers.

    Args:
        vocabulary: the vocabulary, or the path of a `spiece.model`,
            `spm.model` or `sentencepiece.bpe.model`.
        lowercase: whether to lower-case texts. Defaults to True for ALBERT and
            False for all other families.
        special_tokens_in_text: whether to convert special tokens in texts, such
            as [MASK], to their ids. If False, they are plain text.
        normalizer: normalizer to apply. ALBERT supports "google_research", the
            default, and "hugging_face". The others support "model", the
            normalizer in the model file.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, UTF-8; or a single str.

    Returns:
        A RaggedTensor, int32 `(batch_size, (num_tokens))`; for a single str, a
        tensor `(num_tokens,)`.

    Example:

    >>> tokenizer = keras_bert.text.SentencePieceTokenizer("spiece.model")
    >>> tokenizer(["some text"])
    <tf.RaggedTensor [[109, 1854]]>

    References:
        [SentencePiece](https://arxiv.org/abs/1808.06226),
        [ALBERT](https://arxiv.org/abs/1909.11942)
    """

    def __init__(
        self,
        vocabulary: SentencePieceVocabulary | Path,
        lowercase: bool | None = None,
        special_tokens_in_text: bool = False,
        normalizer: str | None = None,
    ) -> None:
        settings = SentencePieceSettings(
            vocabulary, lowercase, special_tokens_in_text, normalizer
        )
        super().__init__(settings)
        self.roles = self.vocabulary.roles
        self.lowercase = settings.lowercase

    @batch_or_scalar
    def __call__(self, texts: Texts) -> tf.RaggedTensor | tf.Tensor:
        texts = self._marked(texts)
        for normalizer in self._normalizers:
            texts = normalizer.normalize(texts)
        pieces = self._op.tokenize(texts)
        ids = tf.gather(self._ids, pieces.flat_values)
        return tf.RaggedTensor.from_row_splits(
            ids, tf.cast(pieces.row_splits, tf.int64), validate=False
        )

    @batch_or_scalar
    def tokenize_with_offsets(
        self, texts: Texts
    ) -> tuple[tf.RaggedTensor, ...]:
        """Tokenize texts and return the byte offsets of the tokens.

        Spans begin and end between characters. They do not include white space
        before a word and are never empty. A separate piece "▁" before a word
        has the span of the next character. With the normalizer "model", it has
        the span of the next piece; the same applies to the first piece of a
        character that is split into several pieces.

        Args:
            texts: string tensor or list `(batch_size,)`, UTF-8.

        Returns:
            Three RaggedTensors `(batch_size, (num_tokens))`: ids, int32;
            starts and ends, int64, byte offsets into the raw text.
        """
        texts = self._marked(texts)
        origins = []
        for normalizer in self._normalizers:
            texts, offsets = normalizer.normalize_with_offsets(texts)
            origins.append(offsets)
        pieces = self._op.tokenize(texts)
        starts, ends = self._spans(pieces, texts)
        pieces = Pieces(
            tf.gather(self._ids, pieces.flat_values),
            starts,
            ends,
            tf.cast(pieces.row_splits, tf.int64),
        )
        for offsets in reversed(origins):
            pieces = original_spans(pieces, offsets)
        return tuple(map(pieces.ragged, pieces[:3]))

    @property
    def _follows_model(self):
        return self.settings.normalizer == MODEL

    def _marked(self, texts):
        if self._follows_model and self.settings.special_tokens_in_text:
            tokens = self.roles.values()
            return mark_in_place(texts, tokens, MARKS, NO_MARK)
        return texts

    @functools.cached_property
    def _found(self):
        """Dict mapping the special tokens that texts may contain to ids."""
        if not self.settings.special_tokens_in_text:
            return {}
        tokens = self.roles.values()
        if self._follows_model:
            found = marked_pieces(tokens)
        else:
            found = {marked(t): t for t in tokens}
            found |= {WORD_START + text: t for text, t in found.items()}
        return {text: self.vocabulary.id_of(t) for text, t in found.items()}

    @functools.cached_property
    def _pieces(self):
        """Pieces of the op: pieces of the model, and special tokens to match.

        A score of 0 is higher than the score of any other piece.
        """
        hidden = {*self.roles.values()} - {self.roles["unknown"]}
        own = [
            piece._replace(kind=CONTROL) if piece.text in hidden else piece
            for piece in self.vocabulary.model.pieces
        ]
        return own + [Piece(text, 0.0, NORMAL) for text in self._found]

    @functools.cached_property
    def _charsmap(self):
        if self._follows_model:
            return self.vocabulary.model.charsmap
        normalizer = NORMALIZERS[self.settings.normalizer]
        charsmap = normalizer.charsmap(self.vocabulary.model.charsmap)
        if self.settings.special_tokens_in_text:
            tokens = self.roles.values()
            return finding_charsmap(charsmap, self.lowercase, tokens)
        return charsmap

    @graph_constant
    def _op(self):
        model = self.vocabulary.model.graph_bytes(self._pieces, self._charsmap)
        return tf_text.FastSentencepieceTokenizer(model)

    @graph_constant
    def _ids(self):
        own = self.vocabulary.piece_ids
        return tf.constant([*own, *self._found.values()], tf.int32)

    @graph_constant
    def _spans(self):
        if self._follows_model:
            tokens = self.vocabulary.tokens
            sizes = {t: len(tokens[n].encode()) for t, n in self._found.items()}
            return LibrarySpans(self.vocabulary.model, sizes)
        finds = self.settings.special_tokens_in_text
        tokens = [*self.roles.values()] if finds else ()
        return PieceSpans(self._pieces, self._charsmap, tokens)

    @graph_constant
    def _normalizers(self):
        if self._follows_model:
            if self._charsmap:
                return []
            # The op would read these characters as spaces. Without a table,
            # SentencePiece does not know them.
            unknown = dict.fromkeys(OTHER_SPACES, "\x7f")
            return [normalizer_op(build_table(unknown))]
        tables = [NORMALIZERS[self.settings.normalizer].model(self.lowercase)]
        if self.settings.special_tokens_in_text:
            tables = [marking_table(), *tables]
        return [*map(normalizer_op, tables)]
