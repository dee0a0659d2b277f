"""One fine-tuning after another by the programs, on a few texts."""

import json

import pytest

from keras_bert import save_pretrained
from keras_bert.tasks import load_task
from tests.tools.conftest import tiny_bert

pytestmark = pytest.mark.exhaustive

_WORDS = "the a dog cat bird fish eats sees meat seeds".split()


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny model, and data of four tasks."""
    place = tmp_path_factory.mktemp("place")
    bert = tiny_bert(_WORDS, max_position_embeddings=24)
    save_pretrained(bert, place / "bert")
    names = ("entailment", "neutral", "contradiction")
    _write_pairs(place / "three.csv", names)
    _write_pairs(place / "two.csv", ("entailment", "not_entailment"))
    for name, food in (("other.json", "meat"), ("own.json", "seeds")):
        context = f"the dog eats {food}"
        answers = [{"text": food, "answer_start": 13}]
        questions = [
            {"id": f"{n}", "question": word, "answers": answers}
            for n, word in enumerate(_WORDS[:4])
        ]
        paragraphs = [{"context": context, "qas": questions}]
        data = {"data": [{"title": "dogs", "paragraphs": paragraphs}]}
        (place / name).write_text(json.dumps(data))
    return place


def _write_pairs(path, labels):
    rows = [
        f"the {one},a {two},{labels[n % len(labels)]}\n"
        for n, one in enumerate(_WORDS[2:6])
        for two in _WORDS[2:6]
    ]
    path.write_text("".join(["one,two,label\n", *rows]))


@pytest.fixture
def learn(run, place):
    """Fine-tunes by a program; gives what it has told."""

    def learn(program, init_dir, output_dir, **flags):
        code, _, stderr = run(
            program,
            f"--init_dir={place / init_dir}",
            f"--output_dir={place / output_dir}",
            "--num_train_epochs=1",
            "--verbosity=0",
            "--precision=float32",
            *(f"--{name}={value}" for name, value in flags.items()),
        )
        assert code == 0, stderr
        return stderr

    return learn


def _pairs(path):
    return {
        "train_file": path,
        "dev_file": path,
        "text_column": "one",
        "text_pair_column": "two",
    }


def test_one_task_begins_where_another_has_ended(learn, run, place):
    learn("run_classifier", "bert", "three", **_pairs(place / "three.csv"))
    pairs = _pairs(place / "two.csv")
    code, _, told = run(
        "run_classifier",
        f"--init_dir={place / 'three/model'}",
        f"--output_dir={place / 'none'}",
        *(f"--{name}={value}" for name, value in pairs.items()),
    )
    assert code != 0 and "--new_head to replace" in told
    told = learn("run_classifier", "three/model", "two", new_head=True, **pairs)
    assert "The head of TextClassifier" in told
    assert load_task(place / "two/model").labels == [
        "entailment",
        "not_entailment",
    ]
    told = learn("run_classifier", "two/model", "again", **pairs)
    assert "starts random" not in told

    other, own = place / "other.json", place / "own.json"
    told = learn(
        "run_squad", "two/model", "other", train_file=other, dev_file=other
    )
    assert "The head of TextClassifier (classifier, 2 outputs) is" in told
    told = learn(
        "run_squad", "other/model", "own", train_file=own, predict_file=own
    )
    assert "starts random" not in told
    assert (place / "own" / "predictions.json").exists()

    told = learn(
        "run_classifier", "own/model", "last", **_pairs(place / "two.csv")
    )
    assert "The head of QuestionAnswerer (span_classifier, 2 outputs)" in told
    assert "The pooler starts random" in told
