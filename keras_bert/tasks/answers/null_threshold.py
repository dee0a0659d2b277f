"""From which score on no answer is the better answer."""

import numpy as np


def best_null_threshold(differences, answer_scores, null_scores):
    """Finds the threshold that gives the best mean score.

    A question is left without an answer where its difference is above the
    threshold. Questions of one difference are on one side of it.

    Args:
        differences: float `(num_questions,)`, how much better no answer
            scores than the best answer; or the probability of no answer.
        answer_scores: float `(num_questions,)`, what the best answer is worth,
            such as its exact match or F1.
        null_scores: float `(num_questions,)`, what no answer is worth: 1
            where a question is impossible, 0 elsewhere.

    Returns:
        The threshold and the mean score with it, floats. The threshold is one
        of the differences, the lowest of those that do equally well. Where
        all questions are best left without an answer, it is 0.0, or the
        number next below all differences if 0.0 is not below them.

    Raises:
        ValueError: the arrays are empty or not of one length, or a
            difference is not finite.
    """
    differences, answer_scores, null_scores = (
        np.asarray(values, np.float64)
        for values in (differences, answer_scores, null_scores)
    )
    _check(differences, answer_scores, null_scores)
    order = np.argsort(differences, kind="stable")
    ascending = differences[order]
    # Item i is the sum where the first i questions are answered.
    gains = (answer_scores - null_scores)[order]
    sums = np.cumsum([null_scores.sum(), *gains])
    is_threshold = np.append(ascending[1:] != ascending[:-1], True)
    thresholds = np.append(
        min(0.0, np.nextafter(ascending[0], -np.inf)), ascending[is_threshold]
    )
    sums = sums[np.append(True, is_threshold)]
    best = sums.argmax()
    return float(thresholds[best]), float(sums[best] / len(differences))


def _check(differences, answer_scores, null_scores):
    shapes = [x.shape for x in (differences, answer_scores, null_scores)]
    if len({*shapes}) != 1 or len(shapes[0]) != 1 or not shapes[0][0]:
        raise ValueError(
            "`differences`, `answer_scores` and `null_scores` must have one "
            "number for each question, and there must be questions. "
            f"Received the shapes: {shapes}."
        )
    (wrong,) = np.nonzero(~np.isfinite(differences))
    if len(wrong):
        raise ValueError(
            "`differences` must be finite. Received: "
            f"{differences[wrong[0]]} at index {wrong[0]}."
        )
