"""Question preprocessing and answer decoding in a TensorFlow graph."""

import typing

from keras_bert.lazy_tensorflow import tf
from keras_bert.tasks.inputs.answer_windows import context_ranks
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.text.templates import numbered
from keras_bert.typing import Tensor

TOKEN_STARTS = "token_starts"
TOKEN_ENDS = "token_ends"
IS_OWNED = "is_owned"
QUESTIONS = "questions"
# Smaller than any sum of two logits, but finite, because `is_inf` fails in
# TFLite.
_MASKED_SCORE = -1e30


class QuestionPreprocessor(Preprocessor):
    """Preprocessor that packs each question with each window of its context.

    Args:
        tokenizer: a `Tokenizer`.
        template: a `Template`, see `Preprocessor`.
        sizes: `WindowSizes`.

    Call arguments:
        questions: string tensor or list `(batch_size,)`.
        contexts: string tensor or list `(batch_size,)`.

    Returns:
        A dict of int32 tensors with a row for each window, in the order of the
        contexts. The model inputs of `Preprocessor`, `token_starts` and
        `token_ends` (byte offsets in the context, 0 at other tokens) and
        `is_owned` (1 at the context tokens that the window owns) have shape
        `(num_windows, seq_length)`. `questions`, `(num_windows, 1)`, is the
        index of the question of each row.
    """

    def __init__(self, tokenizer, template, sizes):
        super().__init__(tokenizer, template, sizes.seq_length)
        self.sizes = sizes
        self._ranks = context_ranks(sizes.seq_length)

    def __call__(self, questions, contexts):
        question_ids = self.tokenizer(questions)
        tokens = self.tokenizer.tokenize_with_offsets(contexts)
        kept = tf.cast(question_ids.row_lengths(), tf.int32)
        kept = tf.minimum(kept, self.sizes.max_query_length)
        windows = _graph_windows(
            self.sizes, kept, tf.cast(tokens[0].row_lengths(), tf.int32)
        )
        beginnings = _GraphWindows(
            windows.rows,
            tf.zeros_like(windows.starts),
            tf.gather(kept, windows.rows),
        )
        question_ids = _in_windows(question_ids, beginnings)
        ids, starts, ends = (_in_windows(x, windows) for x in tokens)
        owned = _owned_in_windows(tokens[0], windows, self._ranks)
        none = tf.zeros_like(question_ids)
        values = {TOKEN_STARTS: starts, TOKEN_ENDS: ends, IS_OWNED: owned}
        values = {name: [none, x] for name, x in values.items()}
        inputs, _ = self.add_special_tokens(question_ids, ids, **values)
        return {
            **inputs,
            QUESTIONS: windows.rows[:, tf.newaxis],
        }


class _GraphWindows(typing.NamedTuple):
    """Windows of several contexts as int32 `(num_windows,)` tensors.

    `rows` are the indices of the contexts. The tensors are flat, because TFLite
    lacks ragged ops.
    """

    rows: Tensor
    starts: Tensor
    lengths: Tensor


def _graph_windows(sizes, question_lengths, context_lengths):
    """Compute the windows of several contexts, like `WindowSizes.windows`."""
    room = sizes.seq_length - sizes.num_special - question_lengths
    step = tf.minimum(room, sizes.doc_stride)
    num_more = tf.maximum((context_lengths - room + step - 1) // step, 0)
    rows, numbers = numbered(tf, num_more + 1)
    starts = numbers * tf.gather(step, rows)
    left = tf.gather(context_lengths, rows) - starts
    return _GraphWindows(rows, starts, tf.minimum(tf.gather(room, rows), left))


def _in_windows(tokens, windows):
    """Return a RaggedTensor with the tokens of each window."""
    _, _, indices = _window_tokens(tokens, windows)
    return tf.RaggedTensor.from_row_lengths(
        tf.gather(tokens.flat_values, indices), windows.lengths, validate=False
    )


def _owned_in_windows(tokens, windows, ranks):
    """Return the mask of owned tokens; see `AnswerWindows.owners`."""
    window, position, token = _window_tokens(tokens, windows)
    length = tf.gather(windows.lengths, window)
    nearest = tf.minimum(position, length - 1 - position)
    rank = tf.gather(tf.reshape(ranks, [-1]), nearest * ranks.shape[1] + length)
    num_tokens = tf.size(tokens.flat_values)
    most = tf.math.unsorted_segment_max(rank, token, num_tokens)
    num_windows = tf.size(windows.rows)
    # The first window with the most context.
    owners = tf.math.unsorted_segment_min(
        tf.where(tf.equal(rank, tf.gather(most, token)), window, num_windows),
        token,
        num_tokens,
    )
    is_owner = tf.equal(window, tf.gather(owners, token))
    return tf.RaggedTensor.from_row_lengths(
        tf.cast(is_owner, tf.int32), windows.lengths, validate=False
    )


def _window_tokens(tokens, windows):
    """Return the window, position and token index of each window token."""
    window, position = numbered(tf, windows.lengths)
    firsts = tf.cast(tokens.row_starts(), tf.int32)
    firsts = tf.gather(firsts, windows.rows) + windows.starts
    return window, position, tf.gather(firsts, window) + position


def window_answers(
    logits,
    token_starts,
    token_ends,
    is_owned,
    questions,
    num_questions,
    null_threshold=None,
    max_answer_length=30,
    cls_positions=None,
):
    """Find the best answers in a TensorFlow graph, like `decode_answers`.

    Args:
        logits: float32 `(num_windows, seq_length, 2)`.
        token_starts, token_ends, is_owned, questions: int32, as returned by
            `QuestionPreprocessor`.
        num_questions: int32 scalar.
        null_threshold: float or None, see `Answers.chosen`.
        max_answer_length: int, maximum length of an answer in tokens.
        cls_positions: int32 `(num_windows,)`, position of [CLS] in each row;
            None if it is the first token.

    Returns:
        Three tensors `(num_questions,)`: int32 start and end byte offsets in
        the context, which are 0 for "no answer", and float32 scores, which are
        the sums of both logits.
    """
    questions = questions[:, 0]
    begin, length, score = _best_spans(
        logits, token_ends > 0, is_owned > 0, max_answer_length
    )
    # The first window with the highest score.
    most = tf.math.unsorted_segment_max(score, questions, num_questions)
    windows = tf.range(tf.size(score))
    is_most = tf.equal(score, tf.gather(most, questions))
    best = tf.math.unsorted_segment_min(
        tf.where(is_most, windows, tf.size(score)), questions, num_questions
    )
    begin, length = tf.gather(begin, best), tf.gather(length, best)
    rows = tf.gather(token_starts, best), tf.gather(token_ends, best)
    start = tf.gather(rows[0], begin, batch_dims=1)
    end = tf.gather(rows[1], begin + length, batch_dims=1)
    # A context may have no tokens.
    score = tf.where(most > _MASKED_SCORE, most, 0.0)
    if null_threshold is None:
        return start, end, score
    if cls_positions is None:
        of_cls = logits[:, 0]
    else:
        of_cls = tf.gather(logits, cls_positions, batch_dims=1)
    null_score = tf.math.unsorted_segment_min(
        tf.reduce_sum(of_cls, axis=-1), questions, num_questions
    )
    is_null = null_score - score > null_threshold
    return (
        tf.where(is_null, 0, start),
        tf.where(is_null, 0, end),
        tf.where(is_null, null_score, score),
    )


def _best_spans(logits, is_context, may_begin, max_answer_length):
    """Return the first token, length - 1 and score of each best span."""
    first, last = tf.unstack(logits, axis=-1)
    first = tf.where(may_begin, first, _MASKED_SCORE)
    last = tf.where(is_context, last, _MASKED_SCORE)
    shape = tf.shape(last)
    padding = tf.fill([shape[0], max_answer_length - 1], _MASKED_SCORE)
    last = tf.concat([last, padding], axis=1)
    # Column j stands for a span of j + 1 tokens.
    scores = tf.stack(
        [
            first + last[:, more : more + shape[1]]
            for more in range(max_answer_length)
        ],
        axis=-1,
    )  # [W, S, max_answer_length]
    scores = tf.reshape(scores, [shape[0], shape[1] * max_answer_length])
    best = tf.argmax(scores, axis=1, output_type=tf.int32)
    score = tf.gather(scores, best, batch_dims=1)
    return best // max_answer_length, best % max_answer_length, score
