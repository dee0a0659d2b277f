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
        question_ids = question_ids[:, : self.sizes.max_query_length]
        tokens = self.tokenizer.tokenize_with_offsets(contexts)
        room = self.seq_length - self.sizes.num_special
        room -= question_ids.row_lengths()
        places = tf.ragged.range(tokens[0].row_lengths())
        is_kept = places < tf.expand_dims(room, 1)
        ids, starts, ends = (tf.ragged.boolean_mask(x, is_kept) for x in tokens)
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
