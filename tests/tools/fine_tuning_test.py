"""Fine-tuning programs with a tiny model and a few texts."""

import csv
import functools
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest

from keras_bert import save_pretrained
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import TextClassifier
from keras_bert.tasks import load_task
from keras_bert.tasks import read_conll
from tests import tiny

pytestmark = pytest.mark.large

_REPOSITORY = pathlib.Path(__file__).parents[2]
_ANIMALS = "dog cat bird fish".split()
_FOODS = "meat seeds bread soup".split()
_FAST = (
    "--num_train_epochs=3",
    "--learning_rate=0.01",
    "--train_batch_size=4",
    "--precision=float32",
)
_TEXTS = [f"{x} {word}" for x in ("the", "a") for word in _ANIMALS + _FOODS]
_LABELS = [f"{n // 4 % 2}" for n in range(16)]
_PAIRS = [(text, _TEXTS[n - 3]) for n, text in enumerate(_TEXTS)]
_NUMBERS = [n / 4 for n in range(16)]
_KINDS = [["thing", "animal"]] * 4 + [["thing"]] * 4 + [[]] * 8
_CONTEXT = "the dog eats meat. the cat eats fish."
_ASKED = {"0": ("who eats", "dog"), "1": ("who eats", "cat")}
_SQUAD = tiny.squad((_CONTEXT, {**_ASKED, "2": ("", "")}))
_CHOICES = [
    ("the dog", ["it meat", "it soup"]),
    ("a cat", ["it soup", "it meat"]),
]


def _write_table(path, names, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([names, *rows])


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Write a tiny model and files of every task."""
    place = tmp_path_factory.mktemp("place")
    words = ["the", "a", "it", "who", "eats", ".", *_ANIMALS, *_FOODS]
    bert = tiny.make_bert(words, max_position_embeddings=16)
    save_pretrained(bert, place / "bert")
    TextClassifier(bert, labels=["1", "0"]).save(place / "teacher")
    (place / "glue").mkdir()
    rows = [*zip(_TEXTS, _LABELS)]
    lines = "".join(f"{text}\t{label}\n" for text, label in rows)
    for split in ("train", "dev"):
        path = place / "glue" / f"{split}.tsv"
        path.write_text(f"sentence\tlabel\n{lines}")
    lines = "".join(f"{n}\t{text}\n" for n, text in enumerate(_TEXTS))
    (place / "glue" / "test.tsv").write_text(f"index\tsentence\n{lines}")
    rows = [(*pair, number) for pair, number in zip(_PAIRS, _NUMBERS)]
    _write_table(place / "pairs.csv", ["one", "two", "score"], rows)
    rows = [(text, ",".join(kinds)) for text, kinds in zip(_TEXTS, _KINDS)]
    _write_table(place / "kinds.csv", ["text", "label"], rows)
    names = ["sent1", "sent2", "ending0", "ending1", "label"]
    rows = [("the dog", "it", "meat", "soup", 0)]
    rows += [("a cat", "it", "soup", "meat", 1)]
    _write_table(place / "choices.csv", names, rows)
    text = "the O\ndog I-X\n\na O\ncat I-X\n"
    (place / "words.conll").write_text(text)
    (place / "test.conll").write_text(text.replace("dog I-X", "dog I-Y"))
    (place / "v2.json").write_text(json.dumps(_SQUAD))
    (place / "v1.json").write_text(json.dumps(tiny.squad((_CONTEXT, _ASKED))))
    return place


def _files(path, *splits):
    return {f"{split}_file": path for split in splits}


_THREE = ("train", "dev", "test")
_GLUE = {"task_name": "sst2", "data_dir": "glue"}
# Program, flags, examples for `evaluate` and main metric.
_RUNS = {
    "glue": ("run_classifier", _GLUE, (_TEXTS, _LABELS), "accuracy"),
    "student": (
        "run_classifier",
        {**_GLUE, "teacher_dir": "teacher", "num_layers": 1},
        (_TEXTS, _LABELS),
        "accuracy",
    ),
    "pairs": (
        "run_classifier",
        {
            **_files("pairs.csv", *_THREE),
            "text_column": "one",
            "text_pair_column": "two",
            "label_column": "score",
            "regression": True,
        },
        (_PAIRS, _NUMBERS),
        "spearman",
    ),
    "kinds": (
        "run_classifier",
        {**_files("kinds.csv", *_THREE), "label_separator": ","},
        (_TEXTS, _KINDS),
        "micro_f1",
    ),
    "words": (
        "run_tagger",
        {**_files("words.conll", "train", "dev"), "test_file": "test.conll"},
        ([["the", "dog"], ["a", "cat"]], [["O", "B-X"]] * 2),
        "f1",
    ),
    "choices": (
        "run_multiple_choice",
        {**_files("choices.csv", *_THREE), "num_choices": 2},
        (_CHOICES, [0, 1]),
        "accuracy",
    ),
    "squad": (
        "run_squad",
        {**_files("v2.json", "train", "predict"), "doc_stride": 3},
        (_SQUAD,),
        "f1",
    ),
}


def _flags(flags, output):
    values = {"init_dir": "bert", "output_dir": output, **flags}
    return [*(f"--{k}={v}" for k, v in values.items()), *_FAST]


@pytest.fixture(scope="module")
def tuned(run, place):
    """Return a function from a run to its task, eval.json and directory."""

    @functools.cache
    def tuned(name):
        tool, flags, *_ = _RUNS[name]
        output = place / f"{name}-run"
        code, _, stderr = run(tool, *_flags(flags, output), folder=place)
        assert code == 0, stderr
        values = json.loads((output / "eval.json").read_text())
        return load_task(output / "model"), values, output

    return tuned


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _assert_alike(found, expected):
    if isinstance(expected, list):
        for one, other in zip(found, expected, strict=True):
            _assert_alike(one, other)
    else:
        assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.smoke("glue", "words", "choices", "squad")
@pytest.mark.parametrize("name", _RUNS)
def test_a_run_leaves_its_model_scores_and_curve(tuned, name):
    task, values, output = tuned(name)
    *_, examples, metric = _RUNS[name]
    scores = values["splits"]["dev"]["scores"]
    assert scores == pytest.approx(task.evaluate(*examples), abs=1e-5)
    assert values["search"]["metric"] == metric
    points = _lines(output / "metrics.jsonl")
    evaluated = [x for x in points if x["split"] == "eval"]
    assert len(evaluated) == 3
    if name == "squad":  # Its threshold is tuned after the last epoch.
        report = values["splits"]["dev"]
        assert report["null_threshold"] == task.null_threshold
    else:
        assert max(x[metric] for x in evaluated) == pytest.approx(
            scores[metric]
        )
    files = json.loads((output / "manifest.json").read_text())["files"]
    assert {"model/model.safetensors", "errors-dev.jsonl"} <= {*files}


@pytest.mark.smoke("glue")
@pytest.mark.parametrize("name", ["glue", "pairs", "kinds"])
def test_predictions_of_texts_are_those_of_the_model(tuned, name):
    task, _, output = tuned(name)
    answers = _lines(output / "predictions-test.jsonl")
    assert [x["line"] for x in answers] == [*range(2, 18)]
    expected = task.predict(_RUNS[name][2][0])
    _assert_alike([x["prediction"] for x in answers], expected)


def test_predictions_of_words_and_choices_are_those_of_the_model(tuned):
    tagger, values, output = tuned("words")
    assert tagger.labels == ["O", "B-X", "I-X", "B-Y", "I-Y"]
    test = read_conll(output.parent / "test.conll")
    written = output / "predictions.conll"
    expected = [tuple(row) for row in tagger.predict_words(test.words)]
    assert read_conll(written).tags == tuple(expected)
    assert read_conll(written, tag_column=1).tags == test.tags
    table = values["splits"]["test"]["labels"]
    support = {x["label"]: x["support"] for x in table if x["support"]}
    assert support == {"X": 1, "Y": 1}
    chooser, _, output = tuned("choices")
    found = _lines(output / "predictions.jsonl")
    _assert_alike(found, chooser.predict(_CHOICES))


def _squad(run, place, output, **flags):
    """Answer questions with a trained model; return all output JSON files."""
    flags = {"init_dir": "squad-run/model", **flags}
    code, _, stderr = run("run_squad", *_flags(flags, output), folder=place)
    assert code == 0, stderr
    assert not (place / output / "model").exists()
    return {
        path.stem: json.loads(path.read_text())
        for path in (place / output).glob("*.json")
    }


def test_a_trained_model_answers_another_file(run, place, tuned):
    tuned("squad")
    found = _squad(
        *(run, place, "answered"),
        predict_file="v1.json",
        null_score_diff_threshold=1000,
        max_answer_length=1,
        n_best_size=2,
    )
    assert [*found["eval"]] == ["splits"]
    scores = found["eval"]["splits"]["test"]["scores"]
    assert sorted(scores) == ["exact_match", "f1", "total"]
    for answers in found["nbest_predictions"].values():
        spans = [answer["text"] for answer in answers if answer["text"]]
        assert 1 <= len(spans) <= 2
        assert all(len(text.split()) == 1 for text in spans)
    assert all(found["predictions"].values())


def test_models_answer_together(run, place, tuned):
    """Check that a model and its negated copy cancel each other."""
    answerer = QuestionAnswerer.from_pretrained(tuned("squad")[2] / "model")
    head = answerer.pretrained.task_head
    head.set_weights([-weights for weights in head.get_weights()])
    answerer.save(place / "turned")
    found = _squad(
        *(run, place, "together"),
        ensemble_dirs="turned",
        predict_file="v2.json",
        null_score_diff_threshold=0,
    )
    zero = pytest.approx(0, abs=1e-5)
    assert found["null_odds"] == dict.fromkeys("012", zero)
    for answers in found["nbest_predictions"].values():
        assert [x["start_logit"] for x in answers] == [zero] * len(answers)
    assert found["eval"]["splits"]["test"]["null_threshold"] == 0


@pytest.mark.exhaustive
def test_a_seed_that_is_done_is_not_repeated_after_a_kill(run, place):
    flags = [*_flags(_GLUE, "killed"), "--seeds=2"]
    _kill_after_one_seed(place, flags)
    first = place / "killed.unfinished" / "run-1" / "metrics.jsonl"
    written = first.stat().st_mtime_ns
    call = functools.partial(run, "run_classifier", folder=place)
    code, _, stderr = call(*flags, "--layer_decay=0.5")
    assert code == 1
    assert "Received: flags: layer_decay was 1.0, now 0.5" in stderr
    for name in ("killed", "whole"):
        code, _, stderr = call(*_flags(_GLUE, name), "--seeds=2")
        assert code == 0, stderr
    assert not (place / "killed.unfinished").exists()
    moved = place / "killed" / "run-1" / "metrics.jsonl"
    assert moved.stat().st_mtime_ns == written
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


def _kill_after_one_seed(place, flags):
    ended = place / "killed.unfinished" / "run-1/trial.json"
    with subprocess.Popen(
        [sys.executable, _REPOSITORY / "tools/run_classifier.py", *flags],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(_REPOSITORY)},
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None and not ended.exists():
            time.sleep(0.01)
        process.kill()
    assert process.returncode == -signal.SIGKILL


@pytest.mark.exhaustive
def test_a_batch_can_be_computed_in_parts(run_alone, place):
    """Run in a new process, because threads are set before the first op."""
    flags = [*_flags(_GLUE, "parts"), "--parallel_parts=2"]
    code, _, stderr = run_alone("run_classifier", *flags, folder=place)
    assert code == 0, stderr
    values = json.loads((place / "parts" / "eval.json").read_text())
    (trial,) = values["search"]["runs"]
    assert trial["recipe"]["parallel_parts"] == 2
    scores = values["splits"]["dev"]["scores"]
    assert trial["scores"]["accuracy"] == scores["accuracy"]
