"""Agreement of answers with those that people gave."""

import collections
import re
import string

import numpy as np

from keras_bert.data.labelled.squad import has_impossible

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalized_answer(text):
    """Reduces an answer to the words that SQuAD's own program compares.

    It is in lower case, without ASCII punctuation and English articles. Other
    quotes and dashes stay.
    """
    text = text.lower().translate(_NO_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", text).split())


def answer_scores(answer, golds):
    """Computes exact match and F1 of an answer.

    F1 is that of the words of both: what they share, each as often as both
    have it, by the harmonic mean of precision and recall.

    Args:
        answer: str, normalized.
        golds: list of str, the right answers, normalized; at least one.

    Returns:
        Two floats from 0 to 1, each the best over the right answers.
    """
    exact = float(answer in golds)
    return exact, max(_f1(answer.split(), gold.split()) for gold in golds)


def question_scores(questions, predictions):
    """Computes exact match and F1 of each question.

    Where there are impossible questions, right answers without a word, such
    as "The", do not count; without any other the right answer is "".

    Args:
        questions: list of `SquadQuestion`.
        predictions: dict from ids to str.

    Returns:
        Two float64 arrays `(num_questions,)`, from 0 to 1; 0 where there is
        no prediction.
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
    return scores[0], scores[1]


def _f1(answer, gold):
    if not answer or not gold:
        return float(answer == gold)
    shared = collections.Counter(answer) & collections.Counter(gold)
    # With n shared words, 2 n / (answer + gold) is the harmonic mean of
    # n / answer and n / gold.
    return 2 * shared.total() / (len(answer) + len(gold))
