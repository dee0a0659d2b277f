"""run_tagger.py and run_multiple_choice.py, from files to predictions."""

import json

import pytest

from keras_bert import save_pretrained
from keras_bert.data import read_conll
from keras_bert.tasks import MultipleChoice
from keras_bert.tasks import TokenClassifier
from keras_bert.tasks import load_task
from tests.tools.conftest import tiny_bert

pytestmark = pytest.mark.large

_WORDS = "the a dog cat bird sees likes".split()


@pytest.fixture
def place(tmp_path):
    """A folder with files of both tasks and a model to start from."""
    bert = tiny_bert(_WORDS, num_hidden_layers=2)
    save_pretrained(bert, tmp_path / "bert")
    for name, tag in (("train", "I-X"), ("dev", "I-X"), ("test", "I-Y")):
        (tmp_path / f"{name}.conll").write_text(
            f"the O\ndog {tag}\n\na O\ncat I-X\n"
        )
        (tmp_path / f"{name}.csv").write_text(
            "sent1,sent2,ending0,ending1,label\n"
            "the dog,it,sees,likes,0\na cat,it,likes,sees,1\n"
        )
    return tmp_path


@pytest.fixture
def fine_tune(run, place):
    """Runs a program on files of the folder; its exit code and its errors."""

    def fine_tune(tool, *more, **files):
        files = {"init_dir": "bert", "output_dir": "out", **files}
        places = [f"--{name}={place / file}" for name, file in files.items()]
        code, _, stderr = run(
            tool,
            *places,
            "--num_train_epochs=2",
            "--precision=float32",
            *more,
        )
        assert "Traceback" not in stderr
        return code, stderr

    return fine_tune


def _scores(place):
    values = json.loads((place / "out" / "eval.json").read_text())
    reports = values["splits"].items()
    return values, {split: report["scores"] for split, report in reports}


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _conll(*splits):
    return {f"{split}_file": f"{split}.conll" for split in splits}


def test_a_tagger_is_made_from_files(fine_tune, place):
    files = _conll("train", "dev", "test")
    code, stderr = fine_tune("run_tagger", **files)
    assert code == 0, stderr
    tagger = TokenClassifier.from_pretrained(place / "out" / "model")
    assert tagger.labels == ["O", "B-X", "I-X", "B-Y", "I-Y"]
    dev, test = (read_conll(place / f"{x}.conll") for x in ("dev", "test"))
    values, scores = _scores(place)
    assert scores == {
        "dev": pytest.approx(tagger.evaluate(dev)),
        "test": pytest.approx(tagger.evaluate(test)),
    }
    written = place / "out" / "predictions.conll"
    predicted = [tuple(row) for row in tagger.predict_words(test.words)]
    assert read_conll(written).tags == tuple(predicted)
    assert read_conll(written, tag_column=1).tags == test.tags
    table = values["splits"]["test"]["labels"]
    assert {
        row["label"]: row["support"] for row in table if row["support"]
    } == {
        "X": 1,
        "Y": 1,
    }
    evaluated = [
        x for x in _lines(place / "out" / "metrics.jsonl") if "f1" in x
    ]
    assert len(evaluated) == 2
    assert max(x["f1"] for x in evaluated) == scores["dev"]["f1"]


def test_a_bad_tag_is_named_before_training(fine_tune, place):
    (place / "dev.conll").write_text("the O\ndog S-X\n\na I-X\n")
    code, stderr = fine_tune("run_tagger", **_conll("train", "dev"))
    assert code == 1
    assert "dev.conll, line 4: 'I-X'" in stderr.splitlines()[-1]
    assert not (place / "out").exists()


def test_a_chooser_is_made_from_files(fine_tune, place):
    (place / "test.csv").write_text(
        "sent1,sent2,ending0,ending1\nthe bird,it,sees,likes\n"
    )
    files = {f"{x}_file": f"{x}.csv" for x in ("train", "dev", "test")}
    code, stderr = fine_tune("run_multiple_choice", "--num_choices=2", **files)
    assert code == 0, stderr
    chooser = MultipleChoice.from_pretrained(place / "out" / "model")
    questions = [
        ("the dog", ["it sees", "it likes"]),
        ("a cat", ["it likes", "it sees"]),
    ]
    values, scores = _scores(place)
    assert scores == {"dev": chooser.evaluate(questions, [0, 1])}
    mistakes = _lines(place / "out" / "errors-dev.jsonl")
    assert len(mistakes) == round(2 * (1 - scores["dev"]["accuracy"]))
    (line,) = _lines(place / "out" / "predictions.jsonl")
    (answer,) = chooser.predict([("the bird", ["it sees", "it likes"])])
    assert line == pytest.approx(answer)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("tool", "kind", "more"),
    [
        ("run_tagger", "conll", []),
        ("run_multiple_choice", "csv", ["--num_choices=2"]),
    ],
)
def test_a_student_learns_from_a_teacher(fine_tune, place, tool, kind, more):
    files = {f"{x}_file": f"{x}.{kind}" for x in ("train", "dev")}
    code, stderr = fine_tune(tool, *more, **files, output_dir="teacher")
    assert code == 0, stderr
    files["teacher_dir"] = "teacher/model"
    taught = [*more, "--num_layers=1", "--label_share=0"]
    code, stderr = fine_tune(tool, *taught, **files)
    assert code == 0, stderr
    values, _ = _scores(place)
    assert values["search"]["recipes"][0]["recipe"]["label_share"] == 0
    student = load_task(place / "out" / "model").pretrained
    assert student.config.num_hidden_layers == 1


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "One of --train_file and --tfds_name is needed. Received: none"),
        (
            ["--tfds_name=hellaswag", "--data_format=swag"],
            "--data_format is for --train_file",
        ),
    ],
)
def test_flags_of_questions_that_do_not_fit_are_told(fine_tune, flags, message):
    code, stderr = fine_tune("run_multiple_choice", *flags)
    assert code == 1
    assert message in stderr.splitlines()[-1]
