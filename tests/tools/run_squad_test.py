"""The program trains, answers and scores; SQuAD's own files come out."""

import json

import pytest

from keras_bert.checkpoints import save_pretrained
from keras_bert.tasks import QuestionAnswerer
from tests.tools.conftest import tiny_bert

pytestmark = pytest.mark.large

_WORDS = "the a dog cat bird eats sees meat fish seeds who what .".split()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny model and a file of each version."""
    place = tmp_path_factory.mktemp("squad")
    save_pretrained(tiny_bert(_WORDS), place / "bert")
    for name, is_second in (("v1.json", False), ("v2.json", True)):
        (place / name).write_text(json.dumps(_data(is_second)))
    return place


def _data(is_second):
    context = "the dog eats meat. the cat eats fish."
    entries = [
        {
            "id": f"{number}",
            "question": "who eats",
            "answers": [{"text": text, "answer_start": context.find(text)}],
        }
        for number, text in enumerate(("dog", "cat"))
    ]
    if is_second:
        entries.append(
            {"id": "2", "question": "", "answers": [], "is_impossible": True}
        )
    paragraph = {"context": context, "qas": entries}
    return {"data": [{"title": "Food", "paragraphs": [paragraph]}]}


@pytest.fixture(scope="module")
def squad(run, place):
    """A function that runs the program on files of the folder."""

    def squad(name, **flags):
        files = ("init_dir", "train_file", "dev_file", "predict_file")
        flags = {
            key: place / value if key in files else value
            for key, value in flags.items()
        }
        arguments = [f"--{key}={value}" for key, value in flags.items()]
        code, _, stderr = run(
            "run_squad",
            f"--output_dir={place / name}",
            "--num_train_epochs=1",
            "--precision=float32",
            *arguments,
        )
        return code, stderr

    return squad


@pytest.fixture(scope="module")
def trained(squad, place):
    """The directory of a run on version 2.0."""
    code, stderr = squad(
        "trained",
        init_dir="bert",
        train_file="v2.json",
        predict_file="v2.json",
        doc_stride=3,
    )
    assert code == 0, stderr
    return place / "trained"


def _read(directory):
    return {
        path.stem: json.loads(path.read_text())
        for path in directory.glob("*.json")
    }


def test_a_run_leaves_the_model_its_answers_and_scores(trained):
    found = _read(trained)
    assert sorted(found) == [
        *("eval", "manifest", "nbest_predictions", "null_odds", "predictions")
    ]
    for name in ("predictions", "null_odds", "nbest_predictions"):
        assert sorted(found[name]) == ["0", "1", "2"]
    answerer = QuestionAnswerer.from_pretrained(trained / "model")
    assert answerer.settings["doc_stride"] == 3
    (report,) = found["eval"]["splits"].values()
    assert report["scores"] == pytest.approx(answerer.evaluate(_data(True)))
    assert report["null_threshold"] == answerer.null_threshold
    assert found["eval"]["search"]["metric"] == "f1"
    assert found["manifest"]["flags"]["doc_stride"] == 3
    files = {*found["manifest"]["files"]}
    assert {"model/model.safetensors", "metrics.jsonl"} <= files
    points = (trained / "metrics.jsonl").read_text().splitlines()
    assert json.loads(points[-1])["split"] == "eval"
    mistakes = (trained / "errors-dev.jsonl").read_text().splitlines()
    exact = report["scores"]["exact"]
    assert len(mistakes) == 3 - round(3 * exact / 100)
    worst = [json.loads(line)["f1"] for line in mistakes]
    assert worst == sorted(worst)


def test_a_trained_model_answers_another_file(squad, place, trained):
    code, stderr = squad(
        "answered",
        init_dir="trained/model",
        predict_file="v1.json",
        null_score_diff_threshold=1000,
        max_answer_length=1,
        n_best_size=2,
    )
    assert code == 0, stderr
    found = _read(place / "answered")
    assert not (place / "answered" / "model").exists()
    assert [*found["eval"]] == ["splits"]
    scores = found["eval"]["splits"]["test"]["scores"]
    assert sorted(scores) == ["exact_match", "f1", "total"]
    for answers in found["nbest_predictions"].values():
        spans = [answer["text"] for answer in answers if answer["text"]]
        assert 1 <= len(spans) <= 2
        assert all(len(text.split()) == 1 for text in spans)
    assert all(found["predictions"].values())


def test_models_answer_together(squad, place, trained):
    """Beside itself with all outputs turned round, a model says nothing."""
    answerer = QuestionAnswerer.from_pretrained(trained / "model")
    head = answerer.pretrained.task_head
    head.set_weights([-weights for weights in head.get_weights()])
    answerer.save(place / "turned")
    more = {"predict_file": "v2.json", "null_score_diff_threshold": 0}
    code, stderr = squad(
        "together",
        init_dir="trained/model",
        ensemble_dirs=place / "turned",
        **more,
    )
    assert code == 0, stderr
    found = _read(place / "together")
    assert not (place / "together" / "model").exists()
    odds = found["null_odds"]
    assert odds == {name: pytest.approx(0, abs=1e-5) for name in "012"}
    assert any(x for x in _read(trained)["null_odds"].values() if abs(x) > 0.01)
    for answers in found["nbest_predictions"].values():
        assert [x["start_logit"] for x in answers] == [
            pytest.approx(0, abs=1e-5)
        ] * len(answers)
    assert found["eval"]["splits"]["test"]["null_threshold"] == 0
    for others, message in (
        (place / "bert", "bert must hold a model that is trained to answer"),
        (f"{place / 'turned'},{place / 'none'}", "none"),
    ):
        code, stderr = squad(
            "refused", init_dir="trained/model", ensemble_dirs=others, **more
        )
        assert code == 1
        assert message in stderr.splitlines()[-1]


@pytest.mark.exhaustive
def test_the_threshold_of_the_flag_is_saved(squad, place):
    code, stderr = squad(
        "threshold",
        init_dir="bert",
        train_file="v2.json",
        dev_file="v2.json",
        predict_file="v1.json",
        null_score_diff_threshold=-1000,
        seeds=2,
    )
    assert code == 0, stderr
    found = _read(place / "threshold")
    answerer = QuestionAnswerer.from_pretrained(place / "threshold" / "model")
    assert answerer.null_threshold == -1000
    assert {*found["predictions"].values()} == {""}
    assert sorted(found["eval"]["splits"]) == ["dev", "test"]
    assert len(found["eval"]["search"]["runs"]) == 2


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({}, "--train_file or --predict_file must be given"),
        ({"predict_file": "v1.json"}, "Received: a model of no task"),
        ({"predict_file": "v1.json", "seeds": 2}, "--seeds is for --train_f"),
        (
            {"train_file": "v1.json", "ensemble_dirs": "bert"},
            "--ensemble_dirs is for trained models",
        ),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(squad, place, flags, message):
    code, stderr = squad("refused", init_dir="bert", **flags)
    assert code == 1
    line = stderr.splitlines()[-1]
    assert line.startswith("Error: ") and message in line
    assert not (place / "refused").exists()
