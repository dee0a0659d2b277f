"""Fine-tuning by the program, of a tiny model on a few texts."""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from keras_bert import save_pretrained
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import TextRegressor
from keras_bert.tasks import load_task
from tests.tools.conftest import tiny_bert

pytestmark = pytest.mark.large

_ANIMALS = "dog cat bird fish".split()
_FOODS = "meat seeds bread soup".split()
_FAST = (
    "--num_train_epochs=3",
    "--learning_rate=0.01",
    "--train_batch_size=4",
    "--precision=float32",
)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A tiny model, a task of GLUE and files of one's own."""
    place = tmp_path_factory.mktemp("place")
    bert = tiny_bert(
        ["the", "a", *_ANIMALS, *_FOODS],
        hidden_size=16,
        num_attention_heads=2,
        intermediate_size=16,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        initializer_range=0.3,
    )
    save_pretrained(bert, place / "bert")
    rows = [(f"{x} {word}", 0) for x in ("the", "a") for word in _ANIMALS]
    rows += [(f"{x} {word}", 1) for x in ("the", "a") for word in _FOODS]
    (place / "glue").mkdir()
    for split in ("train", "dev"):
        lines = "".join(f"{text}\t{label}\n" for text, label in rows)
        (place / "glue" / f"{split}.tsv").write_text(
            f"sentence\tlabel\n{lines}"
        )
    lines = "".join(f"{n}\t{text}\n" for n, (text, _) in enumerate(rows))
    (place / "glue" / "test.tsv").write_text(f"index\tsentence\n{lines}")
    with open(place / "pairs.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["one", "two", "score"])
        for n, (text, label) in enumerate(rows):
            writer.writerow([text, rows[n - 3][0], label + n / 4])
    return place


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _glue(place, output, *more):
    return (
        "run_classifier",
        "--task_name=sst2",
        f"--data_dir={place / 'glue'}",
        f"--init_dir={place / 'bert'}",
        f"--output_dir={place / output}",
        *_FAST,
        *more,
    )


def test_a_task_of_glue_leaves_all_its_files(run, place):
    code, _, stderr = run(*_glue(place, "sst2"))
    assert code == 0, stderr
    output = place / "sst2"
    values = json.loads((output / "eval.json").read_text())
    found = values["splits"]["dev"]
    classifier = load_task(output / "model")
    assert isinstance(classifier, TextClassifier)
    texts, labels = zip(
        *(
            line.split("\t")
            for line in (place / "glue/dev.tsv").read_text().splitlines()[1:]
        )
    )
    expected = classifier.evaluate(list(texts), list(labels))
    assert found["scores"] == pytest.approx(expected)
    mistakes = _lines(output / "errors-dev.jsonl")
    assert len(mistakes) == 16 - sum(
        found["confusion_matrix"][n][n] for n in range(2)
    )
    answers = _lines(output / "predictions-test.jsonl")
    assert [x["line"] for x in answers] == [*range(2, 18)]
    names = [x["prediction"]["label"] for x in answers]
    assert names == [x["label"] for x in classifier.predict(list(texts))]
    points = _lines(output / "metrics.jsonl")
    steps = [x["step"] for x in points if x["split"] == "eval"]
    assert steps == [4, 8, 12]
    best = max(x["accuracy"] for x in points if x["split"] == "eval")
    assert found["scores"]["accuracy"] == best
    assert values["search"]["recipes"][0]["mean"] == best


def test_a_student_learns_from_a_teacher(run, place):
    teacher = TextClassifier.from_pretrained(place / "bert", labels=["1", "0"])
    teacher.save(place / "teacher")
    code, _, stderr = run(
        *_glue(
            place,
            "student",
            f"--teacher_dir={place / 'teacher'}",
            "--num_layers=1",
            "--label_share=0.25",
        )
    )
    assert code == 0, stderr
    values = json.loads((place / "student" / "eval.json").read_text())
    recipe = values["search"]["recipes"][0]["recipe"]
    assert recipe["label_share"] == 0.25
    assert load_task(place / "student" / "model").labels == ["0", "1"]


def test_several_seeds_keep_the_best(run, place):
    code, _, stderr = run(*_glue(place, "seeds", "--seeds=2", "--windows=max"))
    assert code == 0, stderr
    settings = load_task(place / "seeds" / "model").settings
    assert settings["windows"] == "max"
    values = json.loads((place / "seeds" / "eval.json").read_text())
    runs = values["search"]["runs"]
    assert [x["recipe"]["seed"] for x in runs] == [12345, 12346]
    kept = values["splits"]["dev"]["scores"]["accuracy"]
    assert kept == max(x["scores"]["accuracy"] for x in runs)
    for number in (1, 2):
        assert (place / "seeds" / f"run-{number}" / "metrics.jsonl").exists()


@pytest.mark.exhaustive
def test_a_seed_that_is_done_is_not_repeated_after_a_kill(run, place):
    tool, *flags = _glue(place, "killed", "--seeds=2")
    _kill_after_one_seed([f"tools/{tool}.py", *flags], place / "killed")
    first = place / "killed.unfinished" / "run-1" / "metrics.jsonl"
    written = first.stat().st_mtime_ns
    code, _, stderr = run(tool, *flags, "--layer_decay=0.5")
    assert code == 1
    assert "--overwrite begins anew. Received: flags: layer_decay was" in stderr
    code, _, stderr = run(tool, *flags)
    assert code == 0, stderr
    assert not (place / "killed.unfinished").exists()
    moved = place / "killed" / "run-1" / "metrics.jsonl"
    assert moved.stat().st_mtime_ns == written
    code, _, stderr = run(*_glue(place, "whole", "--seeds=2"))
    assert code == 0, stderr
    found = [
        {
            path.relative_to(place / name).as_posix()
            for path in (place / name).rglob("*")
            if "tfevents" not in path.name
        }
        for name in ("killed", "whole")
    ]
    assert found[0] == found[1]
    for name in ("eval.json", "predictions-test.jsonl"):
        texts = [(place / x / name).read_text() for x in ("killed", "whole")]
        assert texts[0] == texts[1]


def _kill_after_one_seed(command, output):
    ended = output.with_name(f"{output.name}.unfinished") / "run-1/trial.json"
    repository = pathlib.Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=repository,
        env={**os.environ, "PYTHONPATH": str(repository)},
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None and not ended.exists():
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGKILL


def test_numbers_of_pairs_are_predicted(run, place):
    code, _, stderr = run(
        "run_classifier",
        f"--train_file={place / 'pairs.csv'}",
        f"--dev_file={place / 'pairs.csv'}",
        f"--test_file={place / 'pairs.csv'}",
        "--text_column=one",
        "--text_pair_column=two",
        "--label_column=score",
        "--regression",
        f"--init_dir={place / 'bert'}",
        f"--output_dir={place / 'scores'}",
        *_FAST,
    )
    assert code == 0, stderr
    regressor = load_task(place / "scores" / "model")
    assert isinstance(regressor, TextRegressor)
    assert regressor.is_pair
    values = json.loads((place / "scores" / "eval.json").read_text())
    scores = values["splits"]["dev"]["scores"]
    assert scores["mean_squared_error"] > 0
    assert values["search"]["metric"] == "spearman"
    mistakes = _lines(place / "scores" / "errors-dev.jsonl")
    off = [abs(x["label"] - x["prediction"]) for x in mistakes]
    assert off == sorted(off, reverse=True)
    assert mistakes[0]["place"].startswith(f"{place / 'pairs.csv'}, line ")


def test_texts_of_several_labels_are_learned(run, place):
    rows = [(f"the {word}", "thing,animal") for word in _ANIMALS]
    rows += [(f"a {word}", "thing") for word in _FOODS]
    rows += [("the a", ""), ("a the", "")]
    with open(place / "kinds.csv", "w", newline="") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    files = [f"--{x}_file={place / 'kinds.csv'}" for x in ("train", "dev")]
    arguments = [
        "run_classifier",
        *files,
        "--label_separator=,",
        f"--init_dir={place / 'bert'}",
        f"--output_dir={place / 'kinds'}",
        *_FAST,
    ]
    code, _, stderr = run(*arguments, f"--test_file={place / 'kinds.csv'}")
    assert code == 0, stderr
    classifier = load_task(place / "kinds" / "model")
    assert classifier.multi_label
    assert classifier.labels == ["animal", "thing"]
    texts = [text for text, _ in rows]
    labels = [cell.split(",") if cell else [] for _, cell in rows]
    values = json.loads((place / "kinds" / "eval.json").read_text())
    found = values["splits"]["dev"]["scores"]
    assert found == pytest.approx(classifier.evaluate(texts, labels))
    assert values["search"]["metric"] == "micro_f1"
    answers = _lines(place / "kinds" / "predictions-test.jsonl")
    for answer, expected in zip(
        answers, classifier.predict(texts), strict=True
    ):
        names = [x["label"] for x in answer["prediction"]]
        assert names == [x["label"] for x in expected]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (["--data_dir="], "--task_name needs --data_dir"),
        (["--tfds_name=x"], "Received: --task_name=sst2, --tfds_name=x"),
        (["--regression"], "--regression is for data other than GLUE"),
        (
            ["--truncation=tail", "--windows=max"],
            "--truncation=tail, --windows=max",
        ),
    ],
)
def test_flags_that_do_not_fit_are_told(run, place, changes, message):
    code, _, stderr = run(*_glue(place, "none", *changes))
    assert code == 1
    assert message in stderr
    assert not (place / "none").exists()


@pytest.mark.exhaustive
def test_a_batch_can_be_computed_in_parts(run_alone, place):
    """In a process of its own: threads are set before the first operation."""
    tool, *flags = _glue(place, "parts", "--parallel_parts=2")
    code, _, stderr = run_alone(tool, *flags)
    assert code == 0, stderr
    values = json.loads((place / "parts" / "eval.json").read_text())
    (trial,) = values["search"]["runs"]
    assert trial["recipe"]["parallel_parts"] == 2
    scores = values["splits"]["dev"]["scores"]
    assert trial["scores"]["accuracy"] == scores["accuracy"]
