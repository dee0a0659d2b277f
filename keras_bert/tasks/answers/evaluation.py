"""How good the answers of a model are, and whether it has learned at all."""

import math

from keras_bert.data.labelled.squad import has_impossible
from keras_bert.tasks.answers.squad_scores import question_metrics
from keras_bert.tasks.fine_tuning.collapse import differ_too_little


def answer_metrics(questions, answers, null_threshold):
    """The scores of SQuAD's own programs.

    With impossible questions there are also those of the thresholds that
    would do best.

    Args:
        questions: list of `SquadQuestion`.
        answers: dict from their ids to `Answers`.
        null_threshold: float, from which on no answer is the better answer;
            None, if each question has an answer.

    Returns:
        A dict of floats and ints, as of `squad_scores`.
    """
    texts = {name: found.spans[0].text for name, found in answers.items()}
    if not has_impossible(questions):
        texts = {
            name: found.chosen(null_threshold).text
            for name, found in answers.items()
        }
        return question_metrics(questions, texts)
    differences = {
        name: found.null_difference for name, found in answers.items()
    }
    is_off = null_threshold is None
    threshold = math.inf if is_off else null_threshold
    return question_metrics(questions, texts, differences, threshold)


def is_one_answer(questions, answers, null_threshold):
    """Whether a model answers almost always the same, but should not.

    Args:
        questions, answers, null_threshold: as of `answer_metrics`.

    Returns:
        bool
    """
    chosen = [answers[q.id].chosen(null_threshold) for q in questions]
    texts = [answer.text for answer in chosen]
    places = [(answer.start, answer.end) for answer in chosen]
    wanted = [question.answers[:1] for question in questions]
    return differ_too_little(texts, wanted) or differ_too_little(places, wanted)
