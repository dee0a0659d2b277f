"""The scores of a model's answers, and whether it has learned at all."""

import math

from keras_bert.data.labelled.squad import has_impossible
from keras_bert.tasks.answers.squad_scores import question_metrics
from keras_bert.tasks.fine_tuning.collapse import differ_too_little


def answer_metrics(questions, answers, null_threshold):
    """Computes the scores of SQuAD's own programs.

    Args:
        questions: list of `SquadQuestion`.
        answers: dict from their ids to `Answers`.
        null_threshold: float, from which on no answer is the better answer;
            None, if each question has an answer.

    Returns:
        What `squad_scores` returns; with impossible questions also the scores
        of the thresholds that would do best.
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
    """Says if a model answers almost always the same, but should not."""
    chosen = [answers[q.id].chosen(null_threshold) for q in questions]
    texts = [answer.text for answer in chosen]
    places = [(answer.start, answer.end) for answer in chosen]
    wanted = [question.answers[:1] for question in questions]
    return differ_too_little(texts, wanted) or differ_too_little(places, wanted)
