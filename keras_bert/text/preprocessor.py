"""Preprocessors: raw texts to packed model inputs."""

from __future__ import annotations

import collections.abc
import typing

import tensorflow as tf

from keras_bert.summary import Summarized
from keras_bert.template import Template
from keras_bert.text.packing import TRUNCATIONS
from keras_bert.text.packing import pack
from keras_bert.typing import Texts

if typing.TYPE_CHECKING:
    from keras_bert.text.tokenizer import Tokenizer
    from keras_bert.text.wordpiece.tokenizer import BertTokenizer
    from keras_bert.text.words import WordTokenizer

# Tracing the graph takes as long as about 300 eager calls. After 64 calls, many
# more are likely.
_EAGER_CALLS = 64


class Preprocessor(Summarized):
    """Tokenizes texts or pairs and packs them to dense model inputs.

    The same object runs in `tf.data`, in a SavedModel and in TFLite, so
    training and serving use the same preprocessing.

    Args:
        tokenizer: the tokenizer.
        template: layout of the special tokens; its words are roles or tokens
            of the vocabulary.
        seq_length: length of the packed sequences. Longer pairs are truncated
            token by token, always the longer text.
        truncation: part of a long text to keep: "head", "tail", or
            "head_tail" for half of each.

    Attributes:
        has_warned_truncation: bool, whether the truncation warning was logged.

    Call arguments:
        texts: string tensor or list `(batch_size,)`, or a single str.
        pairs: string tensor or list `(batch_size,)`, or a single str: the
            second texts.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors, or `(seq_length,)`
        for a single str: `input_ids`, `input_mask` and, if the template has
        segments, `segment_ids`.
    """

    def __init__(
        self,
        tokenizer: Tokenizer | WordTokenizer,
        template: Template,
        seq_length: int = 128,
        truncation: str = "head",
    ) -> None:
        vocabulary = tokenizer.vocabulary
        template = template.with_tokens(vocabulary.roles, vocabulary.pair)
        least = max(
            template.num_special(is_pair=False) + 1,
            template.num_special(is_pair=True),
        )
        if seq_length < least:
            raise ValueError(
                f"`seq_length` must be at least {least}, to hold "
                f"{template.pair}. Received: seq_length={seq_length}."
            )
        if truncation not in TRUNCATIONS:
            raise ValueError(
                f"`truncation` must be one of {', '.join(TRUNCATIONS)}. "
                f"Received: truncation={truncation!r}."
            )
        self.tokenizer = tokenizer
        self.template = template
        self.seq_length = seq_length
        self.truncation = truncation
        self.has_warned_truncation = False
        self._num_calls = 0
        self._traced = {}  # By the number of texts per row: 1 or 2.

    def _facts(self):
        names = "tokenizer", "seq_length", "truncation"
        return {name: getattr(self, name) for name in names}

    def __call__(
        self, texts: Texts, pairs: Texts | None = None
    ) -> dict[str, tf.Tensor]:
        columns = [texts] if pairs is None else [texts, pairs]
        if any(type(x).__name__ == "KerasTensor" for x in columns):
            raise TypeError(
                "A preprocessor cannot be called on a KerasTensor: map it over "
                "a `tf.data.Dataset`, or create a model that takes texts with "
                f"`keras_bert.tasks.text_model`. Received: {columns}."
            )
        columns = [tf.convert_to_tensor(x, tf.string) for x in columns]
        if any(column.shape.rank != 0 for column in columns):
            return self.pack(*map(self.tokenizer, columns))
        inputs = self.pack(*(self.tokenizer(x[tf.newaxis]) for x in columns))
        return {name: rows[0] for name, rows in inputs.items()}

    def encode(self, *texts: Texts) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """Pack texts, and return the mask of truncated ones.

        Args:
            *texts: string tensor or list `(batch_size,)`; two of them for
                pairs.

        Returns:
            The dict of model inputs, and bool `(batch_size,)`, True for
            truncated texts.
        """
        tokens = [self.tokenizer(column) for column in texts]
        return self.pack(*tokens), self.are_cut(*tokens)

    def are_cut(self, *tokens: tf.RaggedTensor) -> tf.Tensor:
        """Return the mask of truncated texts or pairs, bool `(batch_size,)`.

        Args:
            *tokens: the arguments of `pack`.
        """
        room = self.seq_length - self.template.num_special(len(tokens) == 2)
        return sum(tf.cast(x.row_lengths(), tf.int32) for x in tokens) > room

    def encode_eagerly(
        self, *texts: collections.abc.Sequence[str | bytes]
    ) -> tuple[dict[str, tf.Tensor], tf.Tensor]:
        """Run `encode` outside of a graph.

        The first 64 calls run eagerly, which takes about 5 ms for one text.
        Then the function is traced to a graph. Tracing takes a second; each
        later call takes less than 1 ms.

        Args:
            *texts: list of str or bytes `(batch_size,)`; two of them for
                pairs.

        Returns:
            The result of `encode`.
        """
        self._num_calls += 1
        if self._num_calls <= _EAGER_CALLS:
            return self.encode(*texts)
        if len(texts) not in self._traced:
            column = tf.TensorSpec([None], tf.string)
            function = tf.function(self.encode, [column] * len(texts))
            self._traced[len(texts)] = function.get_concrete_function()
        columns = [tf.constant(column, tf.string) for column in texts]
        return self._traced[len(texts)](*columns)

    def pack(
        self, first: tf.RaggedTensor, second: tf.RaggedTensor | None = None
    ) -> dict[str, tf.Tensor]:
        """Pack tokenized texts to model inputs.

        Args:
            first: tokens `(batch_size, (num_tokens))`, returned by `tokenizer`.
            second: tokens of the second texts, or None.

        Returns:
            The dict of model inputs.
        """
        texts, seq_length = (self.template, first, second), self.seq_length
        if first.dtype == tf.string:  # Words of a `WordTokenizer`.
            return self.tokenizer.pack(*texts, seq_length, self.truncation)
        id_of = self.tokenizer.vocabulary.id_of
        return pack(*texts, seq_length, id_of, self.truncation)


class BertPreprocessor(Preprocessor):
    """Packs texts for BERT: [CLS] A [SEP], or [CLS] A [SEP] B [SEP].

    Args:
        tokenizer: the tokenizer.
        seq_length: length of the packed sequences.

    Call arguments, Returns: see `Preprocessor`.

    Example:

    >>> preprocess = keras_bert.text.BertPreprocessor(tokenizer, seq_length=8)
    >>> preprocess(["a text"], ["its pair"])["input_ids"].numpy()
    array([[ 101, 1037, 3793,  102, 2049, 3940,  102,    0]], dtype=int32)

    References:
        [BERT](https://arxiv.org/abs/1810.04805), section 3, figure 2
    """

    def __init__(self, tokenizer: BertTokenizer, seq_length: int = 128) -> None:
        super().__init__(tokenizer, Template(), seq_length)
