"""Questions and their contexts to the inputs of a model, in graph."""

import tensorflow as tf

from keras_bert import features
from keras_bert.tasks.answers.answer_windows import context_ranks
from keras_bert.tasks.answers.graph_windows import GraphWindows
from keras_bert.tasks.answers.graph_windows import graph_windows
from keras_bert.tasks.answers.graph_windows import in_windows
from keras_bert.tasks.answers.graph_windows import owned_in_windows
from keras_bert.text.packing import pack
from keras_bert.text.preprocessor import Preprocessor

TOKEN_STARTS = "token_starts"
TOKEN_ENDS = "token_ends"
IS_OWNED = "is_owned"
QUESTIONS = "questions"


class QuestionPreprocessor(Preprocessor):
    """Packs each question with each window of its context.

    Args:
        tokenizer: a `Tokenizer`.
        template: a `Template`, see `Preprocessor`.
        sizes: `WindowSizes`.

    Call arguments:
        questions: string tensor or list `(batch_size,)`.
        contexts: string tensor or list `(batch_size,)`.

    Returns:
        A dict of int32 tensors with a row for each window, the windows of
        the first context first. They are `(num_windows, seq_length)`: what a
        `Preprocessor` gives; `token_starts` and `token_ends`, the bytes of
        the context at which each token begins and ends, both 0 where there
        is no token of the context; and `is_owned`, 1 at the tokens for which
        this window answers. `questions`, `(num_windows, 1)`, tells which
        question each row is of.
    """

    def __init__(self, tokenizer, template, sizes):
        super().__init__(tokenizer, template, sizes.seq_length)
        self.sizes = sizes
        self._ranks = context_ranks(sizes.seq_length)

    def __call__(self, questions, contexts):
        asked = self.tokenizer(questions)
        tokens = self.tokenizer.tokenize_with_offsets(contexts)
        kept = tf.cast(asked.row_lengths(), tf.int32)
        kept = tf.minimum(kept, self.sizes.max_query_length)
        windows = graph_windows(
            self.sizes, kept, tf.cast(tokens[0].row_lengths(), tf.int32)
        )
        beginnings = GraphWindows(
            windows.rows,
            tf.zeros_like(windows.starts),
            tf.gather(kept, windows.rows),
        )
        asked = in_windows(asked, beginnings)
        ids, starts, ends = (in_windows(x, windows) for x in tokens)
        owned = owned_in_windows(tokens[0], windows, self._ranks)
        return {
            **self.pack(asked, ids),
            TOKEN_STARTS: self._at_tokens(asked, starts),
            TOKEN_ENDS: self._at_tokens(asked, ends),
            IS_OWNED: self._at_tokens(asked, owned),
            QUESTIONS: windows.rows[:, tf.newaxis],
        }

    def _at_tokens(self, question_ids, values):
        """The values where the tokens are, 0 elsewhere."""
        laid_out = pack(
            self.template,
            tf.zeros_like(question_ids),
            tf.cast(values, tf.int32),
            self.seq_length,
            lambda token: 0,
        )
        return laid_out[features.INPUT_IDS.name]
