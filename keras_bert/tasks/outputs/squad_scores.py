"""Scores of the official SQuAD evaluation scripts, versions 1.1 and 2.0."""

import collections
import itertools
import math
import re
import string
from typing import Any

import numpy as np
from absl import logging

from keras_bert.messages import brief
from keras_bert.tasks.readers.squad import has_impossible
from keras_bert.tasks.readers.squad import squad_questions
from keras_bert.tasks.training.collapse import is_nearly_constant

_NUM_NAMED = 5
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad_scores(
    data_set: dict[str, Any],
    predictions: dict[str, str],
    no_answer_probabilities: dict[str, float] | None = None,
    no_answer_threshold: float = 1.0,
) -> dict[str, float]:
    """Compute the scores of the official SQuAD evaluation scripts.

    A dataset with impossible questions is scored as version 2.0, all others as
    version 1.1. A question without a prediction scores 0 in version 1.1, as in
    evaluate-v1.1.py, and is ignored in version 2.0, as in evaluate-v2.0.py. A
    warning reports the number of such questions. Predictions for unknown ids
    are ignored.

    Args:
        data_set: dict, parsed JSON of a SQuAD file.
        predictions: dict mapping question ids to answer texts; "" stands for
            "no answer". Ids may be int or str.
        no_answer_probabilities: dict mapping question ids to floats, either
            probabilities or null score differences. Only for version 2.0.
        no_answer_threshold: threshold above which a question is scored as
            unanswered.

    Returns:
        A JSON-serializable dict, with scores in percent under the official
        names. Version 1.1: `exact_match`, `f1` and `total`. Version 2.0:
        `exact`, `f1` and `total`; the same scores with the prefixes `HasAns_`
        and `NoAns_` for answerable and impossible questions, if there are any;
        and, if probabilities are given, `best_exact`, `best_exact_thresh`,
        `best_f1` and `best_f1_thresh` for the best thresholds.

    Raises:
        ValueError: an argument has the wrong format, or no prediction matches
            a question in `data_set`.
    """
    questions = squad_questions(data_set, "`data_set`")
    return question_metrics(
        questions, predictions, no_answer_probabilities, no_answer_threshold
    )


def question_metrics(questions, predictions, odds=None, threshold=1.0):
    """Compute `squad_scores` for a list of `SquadQuestion`."""
    predictions = _check_predictions(questions, predictions)
    exact, f1 = question_scores(questions, predictions)
    is_given = np.array([q.id in predictions for q in questions])
    if not is_given.any():
        raise ValueError(
            "`predictions` must contain ids of `data_set`. Received: "
            f"{brief(predictions)}, with none of {len(questions)} ids."
        )
    if not has_impossible(questions):
        if odds is not None:
            raise ValueError(
                "`no_answer_probabilities` must be None if every question "
                f"has an answer. Received: {brief(odds)}."
            )
        scores = _means(exact, f1)
        return {"exact_match": scores.pop("exact"), **scores}
    answered = [*itertools.compress(questions, is_given)]
    exact, f1 = exact[is_given], f1[is_given]
    has_answer = np.array([not q.is_impossible for q in answered])
    best = {}
    if odds is not None:
        numbers = _numbers(answered, odds)
        best = _best_scores(numbers, exact, f1, has_answer)
        is_null = numbers > threshold
        exact, f1 = (np.where(is_null, ~has_answer, x) for x in (exact, f1))
    return {
        **_means(exact, f1),
        **_means(exact[has_answer], f1[has_answer], "HasAns_"),
        **_means(exact[~has_answer], f1[~has_answer], "NoAns_"),
        **best,
    }


def _best_scores(numbers, exact, f1, has_answer):
    best = {}
    for name, scores in (("exact", exact), ("f1", f1)):
        threshold, score = best_null_threshold(numbers, scores, ~has_answer)
        best[f"best_{name}"] = 100.0 * score
        best[f"best_{name}_thresh"] = threshold
    return best


def _means(exact, f1, prefix=""):
    if not len(exact):
        return {}
    return {
        f"{prefix}exact": 100.0 * float(np.mean(exact)),
        f"{prefix}f1": 100.0 * float(np.mean(f1)),
        f"{prefix}total": len(exact),
    }


def _check_predictions(questions, predictions):
    """Check predictions and return them with string ids."""
    is_dict = isinstance(predictions, dict)
    if not is_dict or not all(isinstance(x, str) for x in predictions.values()):
        raise ValueError(
            "`predictions` must be a dict mapping ids to texts. "
            f"Received: {brief(predictions)}."
        )
    predictions = {str(name): text for name, text in predictions.items()}
    missing = [q.id for q in questions if q.id not in predictions]
    if missing:
        logging.warning(
            "%d of %d questions have no prediction: they %s. The first: %s.",
            len(missing),
            len(questions),
            "are ignored" if has_impossible(questions) else "score 0",
            ", ".join(missing[:_NUM_NAMED]),
        )
    return predictions


def _numbers(questions, no_answer_probabilities):
    numbers = [np.nan]
    if isinstance(no_answer_probabilities, dict):
        values = {str(name): x for name, x in no_answer_probabilities.items()}
        numbers = [values.get(question.id) for question in questions]
    are_numbers = all(type(number) in (int, float) for number in numbers)
    if not are_numbers or not np.isfinite(numbers).all():
        raise ValueError(
            "`no_answer_probabilities` must be a dict mapping the id of each "
            "prediction to a finite number. "
            f"Received: {brief(no_answer_probabilities)}."
        )
    return np.array(numbers, np.float64)


def best_null_threshold(differences, answer_scores, null_scores):
    """Find the no-answer threshold with the best mean score.

    A question counts as unanswered if its difference exceeds the threshold.

    Args:
        differences: float `(num_questions,)`, score of "no answer" minus the
            score of the best answer, or the probability of "no answer".
        answer_scores: float `(num_questions,)`, metric of the best answer, such
            as exact match or F1.
        null_scores: float `(num_questions,)`, metric of "no answer": 1 for
            impossible questions, otherwise 0.

    Returns:
        The threshold and its mean score (floats). If several thresholds are
        equally good, the lowest one is returned. If it is best to answer no
        question, the threshold is 0.0 or, if a difference is 0.0 or less, the
        next float below all differences.
    """
    differences, answer_scores, null_scores = (
        np.asarray(values, np.float64)
        for values in (differences, answer_scores, null_scores)
    )
    order = np.argsort(differences, kind="stable")
    ascending = differences[order]
    # Item i is the sum if the first i questions are answered.
    gains = (answer_scores - null_scores)[order]
    sums = np.cumsum([null_scores.sum(), *gains])
    is_threshold = np.append(ascending[1:] != ascending[:-1], True)
    thresholds = np.append(
        min(0.0, np.nextafter(ascending[0], -np.inf)), ascending[is_threshold]
    )
    sums = sums[np.append(True, is_threshold)]
    best = sums.argmax()
    return float(thresholds[best]), float(sums[best] / len(differences))


def answer_metrics(questions, answers, null_threshold):
    """Compute the official SQuAD scores for `Answers`.

    Args:
        questions: list of `SquadQuestion`.
        answers: dict mapping question ids to `Answers`.
        null_threshold: float, see `Answers.chosen`; None if all questions have
            answers.

    Returns:
        The dict of `squad_scores`. If some questions are impossible, it
        includes the scores for the best thresholds.
    """
    texts = {
        name: candidates.spans[0].text for name, candidates in answers.items()
    }
    if not has_impossible(questions):
        texts = {
            name: candidates.chosen(null_threshold).text
            for name, candidates in answers.items()
        }
        return question_metrics(questions, texts)
    differences = {
        name: candidates.null_difference for name, candidates in answers.items()
    }
    is_off = null_threshold is None
    threshold = math.inf if is_off else null_threshold
    return question_metrics(questions, texts, differences, threshold)


def is_one_answer(questions, answers, null_threshold):
    """Return True if nearly all answers are equal although labels differ."""
    chosen = [answers[q.id].chosen(null_threshold) for q in questions]
    texts = [answer.text for answer in chosen]
    offsets = [(answer.start, answer.end) for answer in chosen]
    wanted = [question.answers[:1] for question in questions]
    return is_nearly_constant(texts, wanted) or is_nearly_constant(
        offsets, wanted
    )


def normalized_answer(text):
    """Normalize an answer as the official SQuAD script does.

    The text is lowercased; ASCII punctuation and English articles are removed.
    Other quotes and dashes are kept.
    """
    text = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", text).split())


def answer_scores(answer, golds):
    """Compute exact match and F1 of an answer.

    F1 compares the bags of words of both answers.

    Args:
        answer: str, normalized answer.
        golds: non-empty list of str, normalized reference answers.

    Returns:
        Exact match and F1 (floats from 0 to 1), each the maximum over the
        reference answers.
    """
    exact = float(answer in golds)
    return exact, max(_f1(answer.split(), gold.split()) for gold in golds)


def question_scores(questions, predictions):
    """Compute exact match and F1 of each question.

    In version 2.0, reference answers that normalize to "", such as "The", are
    ignored; if none are left, the reference answer is "". In version 1.1, a
    prediction that normalizes to "" has an F1 of 0.

    Args:
        questions: list of `SquadQuestion`.
        predictions: dict mapping question ids to str.

    Returns:
        Two float64 arrays `(num_questions,)` with values from 0 to 1.
        Questions without a prediction score 0.
    """
    allows_null = has_impossible(questions)
    scores = np.zeros((2, len(questions)))
    for index, question in enumerate(questions):
        if question.id not in predictions:
            continue
        golds = [normalized_answer(text) for text, _ in question.answers]
        if allows_null:
            golds = [*filter(None, golds)] or [""]
        answer = normalized_answer(predictions[question.id])
        scores[:, index] = answer_scores(answer, golds)
        if not answer and not allows_null:
            scores[1, index] = 0.0
    return scores[0], scores[1]


def _f1(answer, gold):
    if not answer or not gold:
        return float(answer == gold)
    shared = collections.Counter(answer) & collections.Counter(gold)
    # With n shared words, 2 n / (answer + gold) is the harmonic mean of
    # n / answer and n / gold.
    return 2 * shared.total() / (len(answer) + len(gold))
