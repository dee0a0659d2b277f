"""Base class for tokenizers."""

import collections.abc
import dataclasses
import functools
import typing

import tensorflow as tf

from keras_bert.summary import Summarized
from keras_bert.summary import tokenizer_facts
from keras_bert.text.base_vocabulary import BaseVocabulary
from keras_bert.text.tokenizer_settings import FileDefinedTokenizer
from keras_bert.typing import Tensor
from keras_bert.typing import Texts

_Owner = typing.TypeVar("_Owner")
_Constant = typing.TypeVar("_Constant")
_Method = typing.TypeVar(
    "_Method", bound=collections.abc.Callable[..., typing.Any]
)


class Tokenizer(Summarized):
    """Base class for tokenizers, which encode texts and decode ids.

    A subclass has these methods:

        __call__(texts): tokenize texts, string `(batch_size,)`. Returns a
            RaggedTensor, int32 `(batch_size, (num_tokens))`.
        tokenize_with_offsets(texts): also return the offsets of each token.
            Returns three RaggedTensors `(batch_size, (num_tokens))`: ids,
            int32; starts and ends, int64, byte offsets into the raw text. A
            span does not include the space before its word. Only spans of
            white-space tokens may be empty.

    Args:
        settings: a frozen dataclass.

    Attributes:
        settings: the argument.
        vocabulary: the vocabulary of the settings.
        kind: str, a key of `KINDS`.
    """

    _arrays = tf

    tokenize_with_offsets: collections.abc.Callable[
        [Texts], tuple[tf.RaggedTensor, ...]
    ]
    vocabulary: BaseVocabulary

    _facts = tokenizer_facts

    def __init__(self, settings: FileDefinedTokenizer) -> None:
        self.settings, self.kind = settings, settings.kind
        self.vocabulary = settings.vocabulary

    def __call__(self, texts: Texts) -> tf.RaggedTensor:
        raise NotImplementedError

    def detokenize(self, ids: collections.abc.Iterable[int]) -> str:
        """Decode ids to a text.

        Args:
            ids: ids of tokens.

        Returns:
            For WordPiece and BPE, the normalized words, joined by spaces; for
            SentencePiece, the normalized text; for byte-level BPE, the text, in
            which bytes that are not valid UTF-8 become U+FFFD.
        """
        return self.vocabulary.decode(ids)

    def with_special_tokens(self) -> "Tokenizer":
        """Return a copy of the tokenizer with `special_tokens_in_text=True`."""
        return dataclasses.replace(
            self.settings, special_tokens_in_text=True
        ).make()


def graph_constant(
    method: collections.abc.Callable[[_Owner], _Constant],
) -> functools.cached_property[_Constant]:
    """Cached property whose tensors are created outside of any graph.

    One tokenizer can then be used in many graphs.
    """

    def make(self: _Owner) -> _Constant:
        with tf.init_scope():
            return method(self)

    return functools.cached_property(make)


def batch_or_scalar(method: _Method) -> _Method:
    """Decorator that makes a method for batches of texts accept a single text.

    Args:
        method: method that takes a string tensor `(batch_size,)` and returns
            tensors with `batch_size` rows.

    Returns:
        A method that also takes lists of str and single texts. For a str or a
        scalar tensor, it returns tensors without the batch dimension.
    """

    @functools.wraps(method)
    def call(self: object, texts: Texts) -> Tensor | tuple[Tensor, ...]:
        texts = tf.convert_to_tensor(texts, tf.string)
        if texts.shape.rank != 0:
            return method(self, texts)
        rows = method(self, texts[tf.newaxis])
        return tf.nest.map_structure(lambda row: row[0], rows)

    return typing.cast(_Method, call)
