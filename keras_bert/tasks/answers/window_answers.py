"""From the logits of one window to its answer, in graph."""

import tensorflow as tf

# Below any sum of two logits. Not minus infinity, which TFLite does not find
# again by `is_inf`.
_NEVER = -1e30


def window_answers(
    logits, token_starts, token_ends, null_threshold=None, max_answer_length=30
):
    """Finds the best answers, as `decode_answers` does of one window.

    Args:
        logits: float32 `(batch_size, seq_length, 2)`.
        token_starts: int32 `(batch_size, seq_length)`, as of
            `QuestionPreprocessor`.
        token_ends: int32 `(batch_size, seq_length)`, likewise.
        null_threshold: float. There is no answer where that scores better
            than the best answer by more. None: there is always one.
        max_answer_length: int, most tokens of an answer.

    Returns:
        Int32 `(batch_size,)` starts and ends, in bytes of the context, both
        0 where there is no answer; and float32 `(batch_size,)` scores, the
        sums of both logits.
    """
    is_context = token_ends > 0
    first, last = tf.unstack(
        tf.where(tf.expand_dims(is_context, -1), logits, _NEVER), axis=-1
    )
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
    )  # [B, S, max_answer_length]
    scores = tf.reshape(scores, [shape[0], shape[1] * max_answer_length])
    best = tf.argmax(scores, axis=1, output_type=tf.int32)
    score = tf.gather(scores, best, batch_dims=1)
    # There are contexts without a token.
    score = tf.where(tf.reduce_any(is_context, axis=1), score, 0.0)
    begin = best // max_answer_length
    start = tf.gather(token_starts, begin, batch_dims=1)
    end = tf.gather(token_ends, begin + best % max_answer_length, batch_dims=1)
    if null_threshold is None:
        return start, end, score
    null_score = tf.reduce_sum(logits[:, 0], axis=-1)
    is_null = null_score - score > null_threshold
    return (
        tf.where(is_null, 0, start),
        tf.where(is_null, 0, end),
        tf.where(is_null, null_score, score),
    )
