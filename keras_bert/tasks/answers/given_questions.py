"""Questions that users give, as plain lists."""

import os

from keras_bert.data.labelled.squad import SquadQuestion
from keras_bert.data.labelled.squad import read_squad
from keras_bert.data.labelled.squad import squad_questions
from keras_bert.tasks.fine_tuning.columns import as_list
from keras_bert.tasks.fine_tuning.columns import as_rows
from keras_bert.tasks.fine_tuning.texts import brief
from keras_bert.tasks.fine_tuning.texts import checked_texts


def labelled_questions(questions):
    """Reads questions with their answers.

    Args:
        questions: str, the path of a file of SQuAD; dict, the object that
            such a file holds; or a list of `SquadQuestion`.

    Returns:
        A list of `SquadQuestion`.

    Raises:
        ValueError: there are none, or they are of another form.
    """
    if isinstance(questions, str | os.PathLike):
        return read_squad(questions)
    if isinstance(questions, dict):
        return squad_questions(questions, "`questions`")
    questions = as_list(questions)
    for index, question in enumerate(questions):
        if not isinstance(question, SquadQuestion):
            raise ValueError(
                "`questions` must be the path of a file of SQuAD, the object "
                "that it holds, or a list of `SquadQuestion`. "
                f"Received: {brief(question)} at index {index}."
            )
    if not questions:
        raise ValueError("There must be questions. Received: none.")
    _check_ids(questions)
    return questions


def asked_questions(pairs):
    """Makes `SquadQuestion`s without answers; their ids are the indices.

    Args:
        pairs: list of pairs of str, a question and its context; perhaps
            empty.

    Raises:
        ValueError: one is no pair of texts; its index is named.
    """
    pairs = as_rows(pairs)
    for index, pair in enumerate(pairs):
        if isinstance(pair, str | bytes) or not _is_pair(pair):
            raise ValueError(
                "Each must be a pair of a question and its context. "
                f"Received: {brief(pair)} at index {index}."
            )
    for column in zip(*pairs, strict=True):
        checked_texts(column)
    return [
        SquadQuestion(str(index), question, context, (), False, None)
        for index, (question, context) in enumerate(pairs)
    ]


def _is_pair(pair):
    return hasattr(pair, "__len__") and len(pair) == 2


def _check_ids(questions):
    seen = set()
    for index, question in enumerate(questions):
        if question.id in seen:
            raise ValueError(
                "Each of `questions` must have an `id` of its own. Received: "
                f"{question.id!r} once more at index {index}."
            )
        seen.add(question.id)
