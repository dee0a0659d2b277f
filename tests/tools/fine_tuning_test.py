"""Fine-tuning programs and `predict`, with a tiny model and a few texts."""

import dataclasses
import functools
import json
import shutil
from collections.abc import Callable

import pytest

from keras_bert.tasks import Ensemble
from keras_bert.tasks import QuestionAnswerer
from keras_bert.tasks import load_task
from keras_bert.tasks import read_columns
from keras_bert.tasks import read_conll
from keras_bert.tasks import read_swag

pytestmark = pytest.mark.large

_FAST = (
    "--init_dir=bert --num_train_epochs=2 --learning_rate=0.01 "
    "--train_batch_size=4 --precision=float32"
)
_GLUE = "run_classifier --task_name=sst2 --data_dir=glue"
_TABLES = (
    "run_classifier --train_file=train.tsv --dev_file=dev.tsv "
    "--test_file=dev.tsv --text_column=sentence"
)


@dataclasses.dataclass(frozen=True)
class _Run:
    """Run of a program.

    Args:
        command: str, the program and its flags.
        asked: str, flags of `predict` with the last split as its input.
        evaluate: function that evaluates a task on the files of the dev split.
        metric: str, the main metric.
        read: function from the output directory to the written predictions.
    """

    command: str
    asked: str
    evaluate: Callable
    metric: str
    read: Callable


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def _predictions(output):
    return [x["prediction"] for x in _lines(output / "predictions-test.jsonl")]


def _tags(output):
    return [[*row] for row in read_conll(output / "predictions.conll").tags]


def _labels():
    return read_columns("dev.tsv", "sentence", "label")


def _scores():
    texts, pairs, labels = read_columns("dev.tsv", "sentence", "pair", "label")
    return [*zip(texts, pairs)], [float(label) for label in labels]


def _label_lists():
    texts, labels = _labels()
    return texts, [[label] for label in labels]


_RUNS = {
    "glue": _Run(
        f"{_GLUE} --teacher_dir=classifier --num_layers=1 --seeds=2",
        "--input_file=glue/test.tsv --text_column=sentence",
        lambda task: task.evaluate(*_labels()),
        "accuracy",
        _predictions,
    ),
    "pairs": _Run(
        f"{_TABLES} --text_pair_column=pair --regression",
        "--input_file=dev.tsv --text_column=sentence --text_pair_column=pair",
        lambda task: task.evaluate(*_scores()),
        "spearman",
        _predictions,
    ),
    "kinds": _Run(
        f"{_TABLES} --label_separator=,",
        "--input_file=dev.tsv --text_column=sentence",
        lambda task: task.evaluate(*_label_lists()),
        "micro_f1",
        _predictions,
    ),
    "words": _Run(
        "run_tagger --train_file=train.conll --dev_file=dev.conll "
        "--test_file=test.conll",
        "--input_file=test.conll",
        lambda task: task.evaluate(
            read_conll("dev.conll").words, [["O", "B-X"]] * 2
        ),
        "f1",
        _tags,
    ),
    "choices": _Run(
        "run_multiple_choice --train_file=train.csv --dev_file=dev.csv "
        "--test_file=dev.csv --num_choices=2",
        "--input_file=dev.csv",
        lambda task: task.evaluate(read_swag("dev.csv", 2)),
        "accuracy",
        lambda output: _lines(output / "predictions.jsonl"),
    ),
    "squad": _Run(
        "run_squad --train_file=squad.json --predict_file=squad.json "
        "--doc_stride=3 --null_score_diff_threshold=2.5",
        "--input_file=squad.json",
        lambda task: task.evaluate("squad.json"),
        "f1",
        lambda output: json.loads((output / "predictions.json").read_text()),
    ),
}


@pytest.fixture(scope="module")
def place(files, tmp_path_factory):
    """Return a copy of the files."""
    place = tmp_path_factory.mktemp("runs") / "place"
    return shutil.copytree(files, place)


@pytest.fixture(scope="module")
def perform(run, place):
    """Return a function that runs a command without errors."""

    def perform(command):
        tool, *flags = command.split()
        code, _, stderr = run(tool, *flags, folder=place)
        assert code == 0, stderr

    return perform


@pytest.fixture(scope="module")
def tuned(perform, place):
    """Return a function from a run to its task, eval.json and directory."""

    @functools.cache
    def tuned(name):
        perform(f"{_RUNS[name].command} {_FAST} --output_dir={name}-run")
        output = place / f"{name}-run"
        values = json.loads((output / "eval.json").read_text())
        return load_task(output / "model"), values, output

    return tuned


@pytest.fixture
def predict(perform, place):
    """Return a function from a model and flags to the lines of `predict`."""

    def predict(model, flags):
        perform(
            f"predict --model_dir={model} --output_file=out.jsonl {flags} "
            "--precision=float32 --overwrite"
        )
        return _lines(place / "out.jsonl")

    return predict


def _assert_alike(found, expected):
    if isinstance(expected, list):
        for one, other in zip(found, expected, strict=True):
            _assert_alike(one, other)
    else:
        assert found == pytest.approx(expected, abs=1e-5)


@pytest.mark.smoke("glue", "words", "choices", "squad")
@pytest.mark.parametrize("name", _RUNS)
def test_a_run_leaves_its_model_scores_and_curve(
    tuned, place, monkeypatch, name
):
    monkeypatch.chdir(place)
    task, values, output = tuned(name)
    metric = _RUNS[name].metric
    scores = values["splits"]["dev"]["scores"]
    assert scores == pytest.approx(_RUNS[name].evaluate(task), abs=1e-5)
    assert values["search"]["metric"] == metric
    paths = sorted(output.rglob("metrics.jsonl"))
    curve = _lines(paths[values["search"]["best"]])
    evaluated = [x[metric] for x in curve if x["split"] == "eval"]
    assert len(evaluated) == 2
    if name == "squad":  # Its threshold is set after the last epoch.
        report = values["splits"]["dev"]
        assert report["null_threshold"] == task.null_threshold == 2.5
    else:
        assert max(evaluated) == pytest.approx(scores[metric])
    listed = json.loads((output / "manifest.json").read_text())["files"]
    assert {"model/model.safetensors", "errors-dev.jsonl"} <= {*listed}


@pytest.mark.smoke("glue", "words", "choices", "squad")
@pytest.mark.parametrize("name", _RUNS)
def test_predictions_are_those_of_the_model(tuned, predict, name):
    task, _, output = tuned(name)
    lines = predict(f"{name}-run/model", _RUNS[name].asked)
    answers = [line["prediction"] for line in lines]
    written = _RUNS[name].read(output)
    if name == "squad":
        answers = {x["id"]: x["prediction"]["answer"] for x in lines}
    else:
        assert lines[0]["line"] == (1 if name == "words" else 2)
    _assert_alike(answers, written)


def test_a_student_has_few_layers_and_each_seed_its_curve(tuned):
    task, values, output = tuned("glue")
    assert task.pretrained.config.num_hidden_layers == 1
    assert len(values["search"]["runs"]) == 2
    assert (output / "run-2" / "metrics.jsonl").exists()


def test_a_tagger_learns_the_labels_of_all_splits(tuned, place):
    tagger, values, output = tuned("words")
    assert tagger.labels == ["O", "B-X", "I-X", "B-Y", "I-Y"]
    test = read_conll(place / "test.conll")
    written = read_conll(output / "predictions.conll", tag_column=1)
    assert written.tags == test.tags
    table = values["splits"]["test"]["labels"]
    support = {x["label"]: x["support"] for x in table if x["support"]}
    assert support == {"X": 1, "Y": 1}


def test_several_models_predict_together(tuned, place, predict):
    models = [tuned("glue")[0], load_task(place / "classifier")]
    lines = predict("glue-run/model,classifier", "--input_file=masked.txt")
    texts = (place / "masked.txt").read_text().splitlines()
    expected = Ensemble(models).predict(texts)
    _assert_alike([line["prediction"] for line in lines], expected)


def _answer(perform, place, flags):
    """Answer questions with a trained model; return all output JSON files."""
    perform(
        "run_squad --init_dir=squad-run/model --predict_file=squad.json "
        f"--output_dir=answered --overwrite {flags}"
    )
    assert not (place / "answered" / "model").exists()
    return {
        path.stem: json.loads(path.read_text())
        for path in (place / "answered").glob("*.json")
    }


def test_a_trained_model_answers_another_file(perform, place, tuned):
    tuned("squad")
    found = _answer(
        perform,
        place,
        "--null_score_diff_threshold=1000 --max_answer_length=1 "
        "--n_best_size=2",
    )
    assert [*found["eval"]] == ["splits"]
    for answers in found["nbest_predictions"].values():
        spans = [answer["text"] for answer in answers if answer["text"]]
        assert 1 <= len(spans) <= 2
        assert all(len(text.split()) == 1 for text in spans)
    assert all(found["predictions"].values())


def test_models_answer_together(perform, place, tuned):
    """Check that a model and its negated copy cancel each other."""
    answerer = QuestionAnswerer.from_pretrained(tuned("squad")[2] / "model")
    head = answerer.pretrained.task_head
    head.set_weights([-weights for weights in head.get_weights()])
    answerer.save(place / "turned")
    flags = "--ensemble_dirs=turned --null_score_diff_threshold=0"
    found = _answer(perform, place, flags)
    zero = pytest.approx(0, abs=1e-5)
    assert found["null_odds"] == dict.fromkeys("012", zero)
    assert found["eval"]["splits"]["test"]["null_threshold"] == 0


@pytest.mark.exhaustive
def test_a_batch_can_be_computed_in_parts(run_alone, place):
    """Run in a new process, because threads are set before the first op."""
    command = f"{_GLUE} {_FAST} --output_dir=parts --parallel_parts=2"
    code, _, stderr = run_alone(*command.split(), folder=place)
    assert code == 0, stderr
    values = json.loads((place / "parts" / "eval.json").read_text())
    (trial,) = values["search"]["runs"]
    assert trial["recipe"]["parallel_parts"] == 2
