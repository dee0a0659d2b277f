"""What a user is told of the answer to a question."""

from keras_bert.tasks.answers.answer_spans import n_best


def plain_answer(context, answers, null_threshold=None):
    """The chosen answer, its place in characters.

    Args:
        context: str.
        answers: `Answers` to a question on it.
        null_threshold: float, from which score on no answer is the better
            answer; None, if there always is one.

    Returns:
        A dict: `answer`, str; `score`, float, the sum of its logits;
        `probability`, float, among the best answers, of which no answer is
        one if there is a threshold; `start` and `end`, int, so that
        `context[start:end]` is the answer.
    """
    chosen = answers.chosen(null_threshold)
    spans = answers.spans
    if null_threshold is not None:
        spans = [*spans, answers.null]
    probabilities = {span.text: share for span, share in n_best(spans)}
    before = context.encode("utf-8")[: chosen.start].decode("utf-8")
    return {
        "answer": chosen.text,
        "score": chosen.score,
        "probability": probabilities[chosen.text],
        "start": len(before),
        "end": len(before) + len(chosen.text),
    }
