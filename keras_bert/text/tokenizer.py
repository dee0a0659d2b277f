"""What every tokenizer can do, whatever cuts its texts."""

import typing

import tensorflow as tf


class Tokenizer(typing.Protocol):
    """Texts to ids and back, in the graph where not said otherwise.

    Attributes:
        kind: str, a key of `KINDS` in `text/tokenizer_kinds.py`.
        vocabulary: `Vocabulary`, or what has its length, `in`, `tokens`,
            `id_of`, `unk_id`, `is_continuation`, `roles` and `sha256`.
        settings: a frozen dataclass that needs no TensorFlow, with `kind`,
            `vocabulary`, `special_tokens_in_text`, `tokenizer()`, which makes
            the same tokenizer, and `save(directory)`, which writes its files.
    """

    kind: str
    vocabulary: typing.Any
    settings: typing.Any

    def __call__(self, texts) -> tf.RaggedTensor:
        """Cuts texts, string `(batch_size,)`, into ids.

        Returns:
            A RaggedTensor, int32 `(batch_size, (num_tokens))`.
        """

    def tokenize_with_offsets(self, texts) -> tuple:
        """Like a call, and where each token stands in the text.

        Returns:
            Three RaggedTensors `(batch_size, (num_tokens))`: ids, int32, and
            starts and ends, int64, offsets in bytes of the text as given. No
            span begins with a space that stands before its word, so that of
            a piece of spaces only is empty.
        """

    def with_special_tokens(self) -> "Tokenizer":
        """One that takes special tokens written in a text for themselves."""

    def detokenize(self, ids) -> str:
        """The text of a list of ids, in Python, as far as they tell it."""
