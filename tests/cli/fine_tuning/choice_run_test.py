import json

import numpy as np

from keras_bert.cli.fine_tuning.choice_run import choice_report
from keras_bert.tasks.labelled.multiple_choice import MultipleChoiceExample


def test_wrong_choices_come_by_how_sure_they_are():
    questions = [
        MultipleChoiceExample("a", ("b", "c"), label, f"x.csv, line {n}")
        for n, label in enumerate((0, 0, 1, 1))
    ]
    probabilities = np.array(
        [[0.75, 0.25], [0.375, 0.625], [0.875, 0.125], [0.25, 0.75]]
    )
    report, mistakes = choice_report(questions, probabilities)
    assert report["scores"] == {"accuracy": 0.5}
    assert sum(x["count"] for x in report["calibration"]["bins"]) == 4
    assert [x["place"] for x in mistakes] == ["x.csv, line 2", "x.csv, line 1"]
    assert mistakes[0] == {
        "place": "x.csv, line 2",
        "label": 1,
        "prediction": 0,
        "probability": 0.875,
        "context": "a",
        "choices": ["b", "c"],
    }
    assert json.loads(json.dumps([report, mistakes])) == [report, mistakes]
