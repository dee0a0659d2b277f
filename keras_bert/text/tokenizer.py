"""Base class of tokenizers."""

import dataclasses
import functools

import tensorflow as tf

from keras_bert.summary import Summarized
from keras_bert.summary import tokenizer_facts


class Tokenizer(Summarized):
    """Texts to ids, in the graph, and back, in Python.

    A subclass has these methods:

        __call__(texts): cut texts, string `(batch_size,)`. Returns a
            RaggedTensor, int32 `(batch_size, (num_tokens))`.
        tokenize_with_offsets(texts): the same with the place of each token.
            Returns three RaggedTensors `(batch_size, (num_tokens))`: ids,
            int32, and starts and ends, int64, offsets in bytes of the text as
            given. No span begins with a space before its word. Only the span
            of a token of white space may be empty.
        detokenize(ids): the text of a list of ids, as far as they define it.

    Args:
        settings: a frozen dataclass, see `FileDefinedTokenizer`.

    Attributes:
        settings: as given.
        vocabulary: the vocabulary of the settings.
        kind: str, a key of `KINDS`.
    """

    _facts = tokenizer_facts

    def __init__(self, settings):
        self.settings, self.kind = settings, settings.kind
        self.vocabulary = settings.vocabulary

    def with_special_tokens(self):
        """Return the same tokenizer with `special_tokens_in_text=True`."""
        return dataclasses.replace(
            self.settings, special_tokens_in_text=True
        ).make()


def graph_constant(method):
    """Cache what a method makes, and make it outside of any graph.

    So one tokenizer serves many graphs.
    """

    def make(self):
        with tf.init_scope():
            return method(self)

    return functools.cached_property(make)
