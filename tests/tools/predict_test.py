"""Predicting by the program, and a kill in the middle of it."""

import json

import pytest

from keras_bert.tasks import Ensemble
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import TokenClassifier
from tests.tools.conftest import tiny_bert

pytestmark = pytest.mark.large

_WORDS = "the a dog cat bird sees likes old".split()


@pytest.fixture(scope="module")
def bert():
    return tiny_bert(_WORDS, initializer_range=0.5)


@pytest.fixture(scope="module")
def classifier(bert, tmp_path_factory):
    classifier = TextClassifier(bert, labels=["x", "y", "z"])
    classifier.directory = tmp_path_factory.mktemp("model")
    classifier.save(classifier.directory)
    return classifier


def _read(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_answers_are_those_of_the_library(run, classifier, tmp_path):
    texts = ["the dog", "", "old bird", ""]
    (tmp_path / "in.txt").write_text("".join(f"{text}\n" for text in texts))
    rows = "".join(f"{text}\t{n}\n" for n, text in enumerate(texts))
    (tmp_path / "in.tsv").write_text(f"sentence\tn\n{rows}")
    for name, columns in (
        ("in.txt", []),
        ("in.tsv", ["--text_column=sentence"]),
    ):
        output = tmp_path / f"{name}.jsonl"
        code, _, stderr = run(
            "predict",
            f"--model_dir={classifier.directory}",
            f"--input_file={tmp_path / name}",
            f"--output_file={output}",
            "--precision=float32",
            *columns,
        )
        assert code == 0, stderr
        answers = _read(output)
        start = 2 if columns else 1
        assert [x["line"] for x in answers] == [*range(start, start + 4)]
        for answer, expected in zip(answers, classifier.predict(texts)):
            prediction = answer["prediction"]
            assert prediction["label"] == expected["label"]
            assert prediction["probability"] == pytest.approx(
                expected["probability"], abs=1e-5
            )


def test_pairs_of_a_regressor_get_numbers(run, bert, tmp_path):
    regressor = TextRegressor(bert)
    regressor.settings["is_pair"] = True
    regressor.save(tmp_path / "model")
    (tmp_path / "in.csv").write_text('a,b\nthe dog,"a cat"\nold,old\n')
    arguments = (
        "predict",
        f"--model_dir={tmp_path / 'model'}",
        f"--input_file={tmp_path / 'in.csv'}",
        f"--output_file={tmp_path / 'out.jsonl'}",
        "--text_column=a",
        "--precision=float32",
    )
    code, _, stderr = run(*arguments)
    assert code == 1
    assert "must be asked pairs: name both columns" in stderr
    code, _, stderr = run(*arguments, "--text_pair_column=b")
    assert code == 0, stderr
    found = [x["prediction"] for x in _read(tmp_path / "out.jsonl")]
    expected = regressor.predict([("the dog", "a cat"), ("old", "old")])
    assert found == pytest.approx(expected, abs=1e-5)


_SQUAD = {
    "data": [
        {
            "paragraphs": [
                {
                    "context": "the old dog sees a cat",
                    "qas": [{"id": "q7", "question": "a bird"}],
                }
            ]
        }
    ]
}


@pytest.mark.smoke("tags")
@pytest.mark.parametrize(
    ("make", "name", "text", "ask"),
    [
        (
            QuestionAnswerer,
            "in.json",
            json.dumps(_SQUAD),
            lambda x: [
                ("q7", *x.predict([("a bird", "the old dog sees a cat")]))
            ],
        ),
        (
            MultipleChoice,
            "in.csv",
            "sent1,sent2,ending0,ending1\nthe dog,the,cat,bird sees\n",
            lambda x: [
                (2, *x.predict([("the dog", ["the cat", "the bird sees"])]))
            ],
        ),
        (
            lambda bert: TokenClassifier(bert, labels=["O", "B-X", "I-X"]),
            "in.conll",
            "the O\ndog O\n\nold B-X\n",
            lambda x: [
                *zip((1, 4), x.predict_words([["the", "dog"], ["old"]]))
            ],
        ),
        (
            lambda bert: TokenClassifier(bert, labels=["O", "B-X", "I-X"]),
            "in.txt",
            "the dog\n\n",
            lambda x: [*zip((1, 2), x.predict(["the dog", ""]))],
        ),
    ],
    ids=["questions", "choices", "tags", "entities"],
)
def test_other_tasks_answer_files(run, bert, tmp_path, make, name, text, ask):
    task = make(bert)
    task.save(tmp_path / "model")
    (tmp_path / name).write_text(text)
    code, _, stderr = run(
        "predict",
        f"--model_dir={tmp_path / 'model'}",
        f"--input_file={tmp_path / name}",
        f"--output_file={tmp_path / 'out.jsonl'}",
        "--precision=float32",
    )
    assert code == 0, stderr
    found = _read(tmp_path / "out.jsonl")
    place = "id" if name == "in.json" else "line"
    for answer, (where, expected) in zip(found, ask(task), strict=True):
        assert answer[place] == where
        if isinstance(expected, dict):
            expected = pytest.approx(expected, abs=1e-5)
        assert answer["prediction"] == expected


def test_several_models_answer_together(run, bert, classifier, tmp_path):
    other = TextClassifier(bert, labels=["x", "y", "z"])
    other.save(tmp_path / "other")
    (tmp_path / "in.txt").write_text("the dog\n\nold bird\n")
    output = tmp_path / "out.jsonl"
    arguments = (
        "predict",
        f"--input_file={tmp_path / 'in.txt'}",
        f"--output_file={output}",
        "--precision=float32",
    )
    both = f"{classifier.directory},{tmp_path / 'other'}"
    code, _, stderr = run(*arguments, f"--model_dir={both}")
    assert code == 0, stderr
    expected = Ensemble([classifier, other]).predict(
        ["the dog", "", "old bird"]
    )
    for answer, wanted in zip(_read(output), expected, strict=True):
        assert answer["prediction"] == pytest.approx(wanted, abs=1e-5)


def test_columns_of_plain_text_are_refused(run, classifier, tmp_path):
    (tmp_path / "in.txt").write_text("a\n")
    code, _, stderr = run(
        "predict",
        f"--model_dir={classifier.directory}",
        f"--input_file={tmp_path / 'in.txt'}",
        f"--output_file={tmp_path / 'out.jsonl'}",
        "--text_column=a",
    )
    assert code == 1
    assert "--text_column is not for a .txt. Received: --text_column=a" in (
        stderr
    )
