"""What there is to say of a model on questions with choices, for JSON."""

import numpy as np

from keras_bert.tasks.scores.calibration import calibration


def choice_report(questions, probabilities):
    """The scores and the mistakes of a model that chooses.

    Args:
        questions: list of `MultipleChoiceExample` with labels.
        probabilities: float array `(num_questions, num_choices)`.

    Returns:
        A dict for JSON, `scores` and `calibration`; and a list of dicts, the
        questions with a wrong choice, the most confident first.
    """
    best, sure = probabilities.argmax(1), probabilities.max(1)
    is_right = best == [question.label for question in questions]
    wrong = np.flatnonzero(~is_right)
    order = wrong[np.argsort(-sure[wrong], kind="stable")]
    report = {
        "scores": {"accuracy": float(is_right.mean())},
        "calibration": calibration(sure, is_right),
    }
    return report, [
        {
            "place": questions[index].where,
            "label": questions[index].label,
            "prediction": int(best[index]),
            "probability": float(sure[index]),
            "context": questions[index].context,
            "choices": list(questions[index].choices),
        }
        for index in order
    ]
