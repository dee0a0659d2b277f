"""What there is to say of a model on questions with answers, for JSON."""

from keras_bert.tasks.answers.answer_scores import question_scores
from keras_bert.tasks.answers.evaluation import answer_metrics
from keras_bert.tasks.answers.plain_answer import plain_answer
from keras_bert.tasks.scores.calibration import calibration


def answer_report(questions, answers, null_threshold):
    """The scores and the mistakes of a model that answers questions.

    Args:
        questions: list of `SquadQuestion`.
        answers: dict from their ids to `Answers`.
        null_threshold: float or None, as of `answer_metrics`.

    Returns:
        A dict for JSON: `scores`, as of `squad_scores`, `null_threshold`,
        and `calibration`, of exact matches; and a list of dicts, the
        questions without an exact match, the worst F1 first and of equal ones
        the most confident.
    """
    given = {
        q.id: plain_answer(q.context, answers[q.id], null_threshold)
        for q in questions
    }
    texts = {name: answer["answer"] for name, answer in given.items()}
    exact, f1 = question_scores(questions, texts)
    sure = [given[q.id]["probability"] for q in questions]
    report = {
        "scores": answer_metrics(questions, answers, null_threshold),
        "null_threshold": null_threshold,
        "calibration": calibration(sure, exact == 1),
    }
    mistakes = [
        {
            "place": question.id,
            "f1": float(score),
            "answers": list(
                dict.fromkeys(text for text, _ in question.answers)
            ),
            "prediction": texts[question.id],
            "probability": probability,
            "question": question.question,
            "context": question.context,
        }
        for question, is_exact, score, probability in zip(
            questions, exact, f1, sure
        )
        if not is_exact
    ]
    order = sorted(mistakes, key=lambda x: (x["f1"], -x["probability"]))
    return report, order
