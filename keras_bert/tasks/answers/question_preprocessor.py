"""Questions and their contexts to the inputs of a model, in graph."""

import tensorflow as tf

from keras_bert import features
from keras_bert.text.packing import pack
from keras_bert.text.preprocessor import Preprocessor

TOKEN_STARTS = "token_starts"
TOKEN_ENDS = "token_ends"


class QuestionPreprocessor(Preprocessor):
    """Packs each question with the first window of its context.

    Args:
        tokenizer: a `Tokenizer`.
        template: a `Template` of special tokens that the tokenizer knows.
        sizes: `WindowSizes`.

    Call arguments:
        questions: string tensor or list `(batch_size,)`.
        contexts: string tensor or list `(batch_size,)`.

    Returns:
        A dict of int32 `(batch_size, seq_length)` tensors: what a
        `Preprocessor` gives, and `token_starts` and `token_ends`, the bytes
        of the context at which each token begins and ends. Both are 0 where
        there is no token of the context.
    """

    def __init__(self, tokenizer, template, sizes):
        super().__init__(tokenizer, template, sizes.seq_length)
        self.sizes = sizes

    def __call__(self, questions, contexts):
        question_ids = self.tokenizer(questions)
        kept = tf.minimum(
            question_ids.row_lengths(), self.sizes.max_query_length
        )
        question_ids = _first_tokens(question_ids, kept)
        tokens = self.tokenizer.tokenize_with_offsets(contexts)
        room = self.seq_length - self.sizes.num_special - kept
        kept = tf.minimum(tokens[0].row_lengths(), room)
        ids, starts, ends = (_first_tokens(x, kept) for x in tokens)
        return {
            **self.pack(question_ids, ids),
            TOKEN_STARTS: self._at_tokens(question_ids, starts),
            TOKEN_ENDS: self._at_tokens(question_ids, ends),
        }

    def _at_tokens(self, question_ids, offsets):
        """The offsets where the tokens are, 0 elsewhere."""
        laid_out = pack(
            self.template,
            tf.zeros_like(question_ids),
            tf.cast(offsets, tf.int32),
            self.seq_length,
            lambda token: 0,
        )
        return laid_out[features.INPUT_IDS.name]


def _first_tokens(tokens, kept):
    """The first tokens of each row, by flat ops, for TFLite.

    Args:
        tokens: RaggedTensor `(batch_size, (num_tokens))`.
        kept: int64 `(batch_size,)`, at most the lengths of the rows.

    Returns:
        A RaggedTensor `(batch_size, (kept))`.
    """
    rows = tokens.value_rowids()
    places = tf.range(tf.size(rows, tf.int64))
    places -= tf.gather(tokens.row_starts(), rows)
    is_kept = places < tf.gather(kept, rows)
    return tf.RaggedTensor.from_row_lengths(
        tf.boolean_mask(tokens.flat_values, is_kept), kept, validate=False
    )
