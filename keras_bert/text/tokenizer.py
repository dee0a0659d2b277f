"""What every tokenizer can do, whatever cuts its texts."""

import typing

import tensorflow as tf


class Tokenizer(typing.Protocol):
    """Texts to ids and back, in the graph where not said otherwise.

    Attributes:
        vocabulary: `Vocabulary`, or what has its length, `tokens`, `id_of`
            and `sha256`.
        roles: dict from "pad", "unknown", "cls", "sep" and "mask" to the
            special tokens that play these roles.
    """

    vocabulary: typing.Any
    roles: dict

    def __call__(self, texts) -> tf.RaggedTensor:
        """Cuts texts, string `(batch_size,)`, into ids.

        Returns:
            A RaggedTensor, int32 `(batch_size, (num_tokens))`.
        """

    def tokenize_with_offsets(self, texts) -> tuple:
        """Like a call, and where each token stands in the text.

        Returns:
            Three RaggedTensors `(batch_size, (num_tokens))`: ids, int32, and
            starts and ends, int64, offsets in bytes of the text as given.
        """

    def with_special_tokens(self) -> "Tokenizer":
        """One that takes special tokens written in a text for themselves."""

    def detokenize(self, ids) -> str:
        """The text of a list of ids, in Python, as far as they tell it."""
