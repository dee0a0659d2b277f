"""Base class of tokenizers."""

import dataclasses
import functools

import tensorflow as tf

from keras_bert.summary import Summarized
from keras_bert.summary import tokenizer_facts


class Tokenizer(Summarized):
    """Base class: encodes texts in the graph and decodes ids in Python.

    A subclass has these methods:

        __call__(texts): tokenize texts, string `(batch_size,)`. Returns a
            RaggedTensor, int32 `(batch_size, (num_tokens))`.
        tokenize_with_offsets(texts): also return the offsets of each token.
            Returns three RaggedTensors `(batch_size, (num_tokens))`: ids,
            int32; starts and ends, int64, byte offsets into the raw text. A
            span does not include the space before its word. Only spans of
            white-space tokens may be empty.
        detokenize(ids): decode a list of ids to a text.

    Args:
        settings: a frozen dataclass, see `FileDefinedTokenizer`.

    Attributes:
        settings: the argument.
        vocabulary: the vocabulary of the settings.
        kind: str, a key of `KINDS`.
    """

    _facts = tokenizer_facts

    def __init__(self, settings):
        self.settings, self.kind = settings, settings.kind
        self.vocabulary = settings.vocabulary

    def with_special_tokens(self) -> "Tokenizer":
        """Return a copy of the tokenizer with `special_tokens_in_text=True`."""
        return dataclasses.replace(
            self.settings, special_tokens_in_text=True
        ).make()


def graph_constant(method):
    """Cached property with tensors created outside of any graph.

    One tokenizer can then be used in many graphs.
    """

    def make(self):
        with tf.init_scope():
            return method(self)

    return functools.cached_property(make)
