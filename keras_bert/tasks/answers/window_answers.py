"""From the logits of windows to the answers of questions, in graph."""

import tensorflow as tf

# Below any sum of two logits. Not minus infinity, which TFLite does not find
# again by `is_inf`.
_NEVER = -1e30


def window_answers(
    logits,
    token_starts,
    token_ends,
    is_owned,
    questions,
    num_questions,
    null_threshold=None,
    max_answer_length=30,
):
    """Finds the best answers, as `decode_answers` does.

    Args:
        logits: float32 `(num_windows, seq_length, 2)`.
        token_starts, token_ends, is_owned, questions: int32, as returned by
            `QuestionPreprocessor`.
        num_questions: int32 scalar.
        null_threshold: float, as `Answers.chosen` takes it, or None.
        max_answer_length: int, most tokens of an answer.

    Returns:
        Int32 `(num_questions,)` starts and ends, in bytes of the context,
        both 0 where there is no answer; and float32 `(num_questions,)`
        scores, the sums of both logits.
    """
    questions = questions[:, 0]
    begin, length, score = _best_spans(
        logits, token_ends > 0, is_owned > 0, max_answer_length
    )
    # The first of the windows whose best spans score most.
    most = tf.math.unsorted_segment_max(score, questions, num_questions)
    places = tf.range(tf.size(score))
    is_most = tf.equal(score, tf.gather(most, questions))
    best = tf.math.unsorted_segment_min(
        tf.where(is_most, places, tf.size(score)), questions, num_questions
    )
    begin, length = tf.gather(begin, best), tf.gather(length, best)
    rows = tf.gather(token_starts, best), tf.gather(token_ends, best)
    start = tf.gather(rows[0], begin, batch_dims=1)
    end = tf.gather(rows[1], begin + length, batch_dims=1)
    # There are contexts without a token.
    score = tf.where(most > _NEVER, most, 0.0)
    if null_threshold is None:
        return start, end, score
    null_score = tf.math.unsorted_segment_min(
        tf.reduce_sum(logits[:, 0], axis=-1), questions, num_questions
    )
    is_null = null_score - score > null_threshold
    return (
        tf.where(is_null, 0, start),
        tf.where(is_null, 0, end),
        tf.where(is_null, null_score, score),
    )


def _best_spans(logits, is_context, may_begin, max_answer_length):
    """Finds each window's best span: first token, how many follow, score."""
    first, last = tf.unstack(logits, axis=-1)
    first = tf.where(may_begin, first, _NEVER)
    last = tf.where(is_context, last, _NEVER)
    shape = tf.shape(last)
    behind = tf.fill([shape[0], max_answer_length - 1], _NEVER)
    last = tf.concat([last, behind], axis=1)
    # Column j is the span of j + 1 tokens.
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
