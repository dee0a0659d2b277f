"""SentencePiece tokenizer that runs in the graph."""

import collections.abc
import functools

import tensorflow as tf
import tensorflow_text as tf_text

from keras_bert.text.added_tokens import SplitAtTokens
from keras_bert.text.base_vocabulary import AddedToken
from keras_bert.text.conventions import MODEL
from keras_bert.text.conventions import OTHER_SPACES
from keras_bert.text.flat_texts import scatter
from keras_bert.text.normalization.normalizers import NORMALIZERS
from keras_bert.text.normalization.normalizers import WORD_START
from keras_bert.text.normalization.replacements import build_table
from keras_bert.text.normalization.replacements import single_replacements
from keras_bert.text.pieces import Pieces
from keras_bert.text.pieces import normalizer_op
from keras_bert.text.pieces import original_spans
from keras_bert.text.sentencepiece.model import CONTROL
from keras_bert.text.sentencepiece.model import NORMAL
from keras_bert.text.sentencepiece.model import Piece
from keras_bert.text.sentencepiece.model_rules import LibrarySpans
from keras_bert.text.sentencepiece.model_rules import class_of
from keras_bert.text.sentencepiece.number_splits import number_splits
from keras_bert.text.sentencepiece.settings import SentencePieceSettings
from keras_bert.text.sentencepiece.spans import PieceSpans
from keras_bert.text.sentencepiece.special_tokens import can_be_marked
from keras_bert.text.sentencepiece.special_tokens import finding_charsmap
from keras_bert.text.sentencepiece.special_tokens import marked
from keras_bert.text.sentencepiece.special_tokens import marking_table
from keras_bert.text.sentencepiece.vocabulary import SentencePieceVocabulary
from keras_bert.text.tokenizer import Tokenizer
from keras_bert.text.tokenizer import batch_or_scalar
from keras_bert.text.tokenizer import graph_constant
from keras_bert.typing import Path
from keras_bert.typing import Texts


class SentencePieceTokenizer(Tokenizer):
    """SentencePiece tokenizer of ALBERT, DeBERTa, XLM-RoBERTa and XLNet.

    It consists of graph ops only and runs eagerly, in `tf.data`, in a
    SavedModel and, unless it matches added tokens, in TFLite.
    docs/tokenization.md lists the differences from the published tokenizers.

    Args:
        vocabulary: the vocabulary, or the path of a `spiece.model`,
            `spm.model` or `sentencepiece.bpe.model`.
        lowercase: whether to lower-case texts. Defaults to True for ALBERT and
            False for all other families.
        special_tokens_in_text: whether to convert special tokens in texts, such
            as [MASK], to their ids. If False, they are plain text.
        normalizer: normalizer to apply. ALBERT and XLNet support
            "google_research", the default of ALBERT, "xlnet", the default of
            XLNet, and "hugging_face". The others support "model", the
            normalizer in the model file.
        keeps_last_space: whether white space at the end of a text, or before an
            added token, is a piece "▁", as in some files of transformers.
        added_tokens: other tokens of the vocabulary to match in raw texts. A
            new word begins after them.

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
        keeps_last_space: bool = False,
        added_tokens: collections.abc.Iterable[AddedToken] = (),
    ) -> None:
        settings = SentencePieceSettings(
            vocabulary,
            lowercase,
            special_tokens_in_text,
            normalizer,
            keeps_last_space,
            added_tokens,
        )
        super().__init__(settings)
        self.roles = self.vocabulary.roles
        self.lowercase = settings.lowercase

    @batch_or_scalar
    def __call__(self, texts: Texts) -> tf.RaggedTensor | tf.Tensor:
        pieces = self._matched(texts, self._cut)
        return pieces.ragged(pieces.ids)

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
        pieces = self._matched(texts, self._cut_with_offsets)
        return tuple(map(pieces.ragged, pieces[:3]))

    def _matched(self, texts, cut):
        """Tokenize texts with `cut` and match added tokens."""
        if self._split_texts:
            return self._split_texts(texts, cut)
        return cut(texts)

    def _with_last_spaces(self, pieces, texts):
        """Append a piece "▁" to normalized texts that end with white space."""
        if not self.settings.keeps_last_space:
            return pieces
        shorter = tf.strings.regex_replace(texts, self._last_space, "")
        sizes = [tf.strings.length(x) for x in (shorter, texts)]
        starts, ends = (tf.cast(x, tf.int64) for x in sizes)
        is_spaced = starts < ends
        counts = tf.cast(is_spaced, tf.int64)
        splits = pieces.row_splits + tf.concat([[0], tf.cumsum(counts)], 0)
        rows = pieces.ragged(pieces.ids).value_rowids()
        positions = tf.range(tf.size(rows, tf.int64))
        positions += tf.gather(tf.cumsum(counts, exclusive=True), rows)
        last_positions = tf.boolean_mask(splits[1:] - 1, is_spaced)
        mark = tf.fill(tf.shape(ends), self.vocabulary.id_of(WORD_START))

        def joined(values, last):
            both = scatter(
                tf.zeros(splits[-1:], values.dtype), positions, values
            )
            return scatter(
                both, last_positions, tf.boolean_mask(last, is_spaced)
            )

        return Pieces(
            joined(pieces.ids, mark),
            joined(pieces.starts, starts),
            joined(pieces.ends, ends),
            splits,
        )

    def _cut(self, texts):
        """Tokenize texts and return `Pieces` without offsets."""
        for normalizer in self._normalizers:
            texts = normalizer.normalize(texts)
        pieces = self._tokenize(texts)
        ids = tf.gather(self._ids, pieces.flat_values)
        none, splits = tf.zeros_like(ids, tf.int64), pieces.row_splits
        pieces = Pieces(ids, none, none, tf.cast(splits, tf.int64))
        return self._with_last_spaces(pieces, texts)

    def _cut_with_offsets(self, texts):
        origins = []
        for normalizer in self._normalizers:
            texts, offsets = normalizer.normalize_with_offsets(texts)
            origins.append(offsets)
        pieces = self._tokenize(texts)
        starts, ends = self._spans(pieces, texts)
        pieces = Pieces(
            tf.gather(self._ids, pieces.flat_values),
            starts,
            ends,
            tf.cast(pieces.row_splits, tf.int64),
        )
        pieces = self._with_last_spaces(pieces, texts)
        for offsets in reversed(origins):
            pieces = original_spans(pieces, offsets)
        return pieces

    def _tokenize(self, texts):
        """Tokenize normalized texts to indices of pieces."""
        pieces = self._op.tokenize(texts)
        if not self._splits:
            return pieces
        # [num_pieces, longest split]; -1 is padding.
        indices = tf.gather(self._split_table, pieces.flat_values)
        is_piece = indices >= 0
        counts = tf.reduce_sum(tf.cast(is_piece, tf.int32), 1)
        splits = tf.concat([[0], tf.cumsum(counts)], 0)
        return tf.RaggedTensor.from_row_splits(
            tf.boolean_mask(indices, is_piece),
            tf.gather(splits, pieces.row_splits),
            validate=False,
        )

    @property
    def _follows_model(self):
        return self.settings.normalizer == MODEL

    @graph_constant
    def _split_texts(self):
        """Callable that splits raw texts at added tokens, or None."""
        ids = self.settings.matched_token_ids
        if not ids or self._marks:
            return None
        taking = self.settings.taking_tokens
        return SplitAtTokens(ids, map(self.vocabulary.id_of, taking))

    @functools.cached_property
    def _marks(self):
        """Special tokens to mark in the texts of the op, which TFLite can."""
        tokens = [*self.settings.matched_token_ids]
        splits = self._follows_model or self.settings.keeps_last_space
        return tokens if can_be_marked(tokens) and not splits else []

    @functools.cached_property
    def _marked_ids(self):
        """Dict mapping the marked special tokens to ids."""
        ids = {marked(t): self.vocabulary.id_of(t) for t in self._marks}
        return {**ids, **{WORD_START + t: x for t, x in ids.items()}}

    @functools.cached_property
    def _pieces(self):
        """Pieces of the op: pieces of the model, and special tokens to match.

        A score of 0 is higher than the score of any other piece.
        """
        hidden = {*self.roles.values()} - {self.roles["unknown"]}
        own = [
            piece._replace(type=CONTROL) if piece.text in hidden else piece
            for piece in self.vocabulary.model.pieces
        ]
        return own + [Piece(text, 0.0, NORMAL) for text in self._marked_ids]

    @functools.cached_property
    def _last_space(self):
        """Regular expression for white space at the end of normalized texts."""
        replaced = {" ": " ", **single_replacements(self._charsmap)}
        spaces = class_of(c for c, text in replaced.items() if text == " ")
        dropped = [c for c, text in replaced.items() if not text.strip("\0")]
        return f"{spaces}{class_of(dropped)}*$" if dropped else f"{spaces}$"

    @functools.cached_property
    def _charsmap(self):
        if self._follows_model:
            return self.vocabulary.model.charsmap
        normalizer = NORMALIZERS[self.settings.normalizer]
        charsmap = normalizer.charsmap(self.vocabulary.model.charsmap)
        if self._marks:
            return finding_charsmap(charsmap, self.lowercase, self._marks)
        return charsmap

    @graph_constant
    def _op(self):
        model = self.vocabulary.model.graph_bytes(self._pieces, self._charsmap)
        return tf_text.FastSentencepieceTokenizer(model)

    @graph_constant
    def _splits(self):
        """Dict mapping pieces to lists of pieces, see `number_splits`."""
        normalizer = NORMALIZERS.get(self.settings.normalizer)
        if normalizer is None or not normalizer.splits_numbers:
            return {}

        def encode(texts):
            rows = self._op.tokenize(tf.constant(texts, tf.string)).to_list()
            return [[self._pieces[n].text for n in row] for row in rows]

        return number_splits([piece.text for piece in self._pieces], encode)

    @functools.cached_property
    def _all_pieces(self):
        """Pieces of the op, and unknown pieces that only splits produce."""
        known = {piece.text for piece in self._pieces}
        texts = {text for split in self._splits.values() for text in split}
        new = sorted(texts - known)
        return self._pieces + [Piece(text, 0.0, NORMAL) for text in new]

    @graph_constant
    def _split_table(self):
        """Table of the piece indices of each piece's split, padded with -1."""
        index = {piece.text: n for n, piece in enumerate(self._all_pieces)}
        rows = [
            [index[text] for text in self._splits.get(piece.text, [piece.text])]
            for piece in self._all_pieces
        ]
        return tf.ragged.constant(rows, tf.int32).to_tensor(-1)

    @graph_constant
    def _ids(self):
        ids = [*self.vocabulary.piece_ids, *self._marked_ids.values()]
        ids += [self.vocabulary.unk_id] * (len(self._all_pieces) - len(ids))
        return tf.constant(ids, tf.int32)

    @graph_constant
    def _spans(self):
        if self._follows_model:
            return LibrarySpans(self.vocabulary.model)
        return PieceSpans(self._all_pieces, self._charsmap, self._marks)

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
        if self._marks:
            tables = [marking_table(), *tables]
        return [*map(normalizer_op, tables)]
