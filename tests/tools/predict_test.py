"""The predict program with files of every format."""

import json

import pytest

from keras_bert import tasks
from tests import tiny

pytestmark = pytest.mark.large

_WORDS = "the a dog cat bird sees likes old".split()
_TEXTS = ["the dog", "", "old bird", ""]
_LINES = "".join(f"{text}\n" for text in _TEXTS)
_TABLE = "sentence\tn\n" + "".join(f"{text}\t1\n" for text in _TEXTS)
_PAIRS = [("the dog", "a cat"), ("old", "old")]
_QUESTION = ("a bird", "the old dog sees a cat")
_SQUAD = json.dumps(tiny.squad((_QUESTION[1], {"q7": (_QUESTION[0], "")})))
_SWAG = "sent1,sent2,ending0,ending1\nthe dog,the,cat,bird sees\n"
_CHOICES = ("the dog", ["the cat", "the bird sees"])
_COLUMNS = {"text_column": "a", "text_pair_column": "b"}
_SENTENCE = {"text_column": "sentence"}
# Name of a task, file, text, flags, inputs and their locations.
_CASES = {
    "lines": ("classifier", "in.txt", _LINES, {}, _TEXTS, [1, 2, 3, 4]),
    "table": ("classifier", "in.tsv", _TABLE, _SENTENCE, _TEXTS, [2, 3, 4, 5]),
    "pairs": (
        "regressor",
        "in.csv",
        'a,b\nthe dog,"a cat"\nold,old\n',
        _COLUMNS,
        _PAIRS,
        [2, 3],
    ),
    "questions": ("answerer", "in.json", _SQUAD, {}, [_QUESTION], ["q7"]),
    "choices": ("chooser", "in.csv", _SWAG, {}, [_CHOICES], [2]),
    "tags": (
        "tagger",
        "in.conll",
        "the O\ndog O\n\nold B-X\n",
        {},
        [["the", "dog"], ["old"]],
        [1, 4],
    ),
    "entities": (
        "tagger",
        "in.txt",
        "the dog\n\n",
        {},
        ["the dog", ""],
        [1, 2],
    ),
}
_MAKERS = {
    "classifier": lambda x: tasks.TextClassifier(x, labels=["x", "y", "z"]),
    "regressor": tasks.TextRegressor,
    "answerer": tasks.QuestionAnswerer,
    "chooser": tasks.MultipleChoice,
    "tagger": lambda x: tasks.TokenClassifier(x, labels=["O", "B-X", "I-X"]),
}


@pytest.fixture(scope="module")
def bert():
    return tiny.make_bert(_WORDS)


@pytest.fixture
def predict(run, tmp_path):
    """Return a function that runs the program on a model in `model`."""

    def predict(name, model="model", **flags):
        files = {"input_file": name, "output_file": "out.jsonl"}
        flags = {"model_dir": model, **files, **flags}
        words = [f"--{key}={value}" for key, value in flags.items()]
        words.append("--precision=float32")
        code, _, stderr = run("predict", *words, folder=tmp_path)
        return code, stderr

    return predict


@pytest.fixture
def answers(tmp_path):
    """Return a function that reads the predictions."""

    def answers():
        lines = (tmp_path / "out.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    return answers


def _assert_alike(found, expected):
    for one, other in zip(found, expected, strict=True):
        is_plain = isinstance(other, list)
        assert one == (other if is_plain else pytest.approx(other, abs=1e-5))


@pytest.mark.smoke("lines", "pairs", "tags")
@pytest.mark.parametrize("name", _CASES)
def test_answers_are_those_of_the_library(
    predict, answers, bert, tmp_path, name
):
    kind, file, text, flags, asked, places = _CASES[name]
    task = _MAKERS[kind](bert)
    if name == "pairs":
        task.settings["is_pair"] = True
    task.save(tmp_path / "model")
    (tmp_path / file).write_text(text)
    if name == "pairs":
        code, stderr = predict(file, text_column="a")
        assert code == 1
        assert "expects pairs: name both columns" in stderr
    code, stderr = predict(file, **flags)
    assert code == 0, stderr
    found = answers()
    key = "id" if file == "in.json" else "line"
    assert [x[key] for x in found] == places
    ask = task.predict_words if name == "tags" else task.predict
    _assert_alike([x["prediction"] for x in found], ask(asked))


def test_several_models_answer_together(predict, answers, bert, tmp_path):
    models = [_MAKERS["classifier"](bert) for _ in range(2)]
    for model, name in zip(models, ("one", "two")):
        model.save(tmp_path / name)
    (tmp_path / "in.txt").write_text(_LINES)
    code, stderr = predict("in.txt", model="one,two")
    assert code == 0, stderr
    expected = tasks.Ensemble(models).predict(_TEXTS)
    _assert_alike([x["prediction"] for x in answers()], expected)
