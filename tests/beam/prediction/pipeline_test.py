"""Predictions on Beam's local runner equal the SavedModel's."""

import json
import warnings

import pytest
import tensorflow as tf

from keras_bert import tasks
from keras_bert.export import export_saved_model
from keras_bert.files.outputs import new_directory

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from keras_bert.beam.prediction.pipeline import predict_on_beam

_TEXTS = ["the dog eats", "", "日本語 😀", "the cat. " * 500, " a bird\t"]


def _saved_model(task, directory):
    """Return the path of the SavedModel of a task in a directory."""
    export_saved_model(task, directory)
    return str(next(directory.rglob("saved_model.pb")).parent)


@pytest.fixture(scope="module")
def classifier(make_bert, tmp_path_factory):
    task = tasks.TextClassifier(make_bert(), labels=["böse", "gut"])
    return _saved_model(task, tmp_path_factory.mktemp("served") / "model")


@pytest.fixture(scope="module")
def chooser(make_bert, tmp_path_factory):
    directory = tmp_path_factory.mktemp("served") / "model"
    return _saved_model(tasks.MultipleChoice(make_bert()), directory)


def _write_rows(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return str(path)


def _read_answers(directory):
    """Return the predictions of all shards by file and line."""
    answers = {}
    for path in directory.glob("*-of-*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            values = json.loads(line)
            key = values["file"], values["line"]
            assert key not in answers
            answers[key] = values["prediction"]
    return answers


def _answers_of(model_dir, **texts):
    model = tf.saved_model.load(model_dir)
    inputs = {name: tf.constant(column) for name, column in texts.items()}
    return model.signatures["serving_default"](**inputs)


@pytest.mark.large
@pytest.mark.parametrize(
    "mode, name, column",
    [
        ("multi_threading", "rows.txt", "text"),
        ("multi_processing", "rows.jsonl", "review"),
    ],
)
def test_every_row_gets_the_answer_of_the_model(
    classifier, tmp_path, mode, name, column
):
    path = tmp_path / name
    if name == "rows.txt":
        path.write_text("".join(f"{x}\n" for x in _TEXTS), encoding="utf-8")
    else:
        _write_rows(path, [{"review": text, "id": 7} for text in _TEXTS])
    counts = predict_on_beam(
        classifier,
        [str(path)],
        str(tmp_path / "out"),
        columns={"text": column},
        num_shards=2,
        beam_options=[
            "--direct_num_workers=2",
            f"--direct_running_mode={mode}",
        ],
    )
    assert counts == {"rows": 5, "bad_rows": 0, "faults": []}
    answers = _read_answers(tmp_path / "out")
    assert sorted(answers) == [(str(path), line) for line in range(1, 6)]
    expected = _answers_of(classifier, text=_TEXTS)
    for index in range(5):
        answer = answers[str(path), index + 1]
        assert answer["label"] == expected["label"][index].numpy().decode()
        assert answer["logits"] == pytest.approx(
            expected["logits"][index].numpy(), abs=1e-4
        )


def test_rows_at_fault_are_named_and_the_others_answered(chooser, tmp_path):
    choices = ["the dog", "a cat"]
    path = tmp_path / "rows.jsonl"
    lines = [
        json.dumps({"text": "a", "choices": choices}).encode(),
        b"no JSON",
        b"\xff\xfe",
        b"",
        json.dumps({"text": "a"}).encode(),
        json.dumps({"text": 3, "choices": choices}).encode(),
        json.dumps({"text": "a", "choices": []}).encode(),
        json.dumps({"text": "the", "choices": [*choices, "fish"]}).encode(),
    ]
    path.write_bytes(b"\n".join(lines))
    counts = predict_on_beam(chooser, [str(path)], str(tmp_path / "out"))
    assert (counts["rows"], counts["bad_rows"]) == (2, 5)
    assert {fault["line"] for fault in counts["faults"]} == {2, 3, 5, 6, 7}
    answers = _read_answers(tmp_path / "out")
    assert {line: len(x["logits"]) for (_, line), x in answers.items()} == {
        1: 2,
        8: 3,
    }
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["bad_rows"] == 5
    assert [*manifest["files"]] == ["00000-of-00001.jsonl"]


def test_answers_are_replaced_only_if_asked(classifier, tmp_path):
    path = _write_rows(tmp_path / "rows.jsonl", [{"text": "a dog"}])
    output = tmp_path / "out"
    predict_on_beam(classifier, [path], str(output))
    with pytest.raises(ValueError, match="pass overwrite=True"):
        predict_on_beam(classifier, [path], str(output))
    predict_on_beam(classifier, [path], str(output), overwrite=True)
    (output / "00000-of-00001.jsonl").write_text("mine")
    with pytest.raises(ValueError, match="no manifest"):
        predict_on_beam(classifier, [path], str(output), overwrite=True)
    assert (output / "00000-of-00001.jsonl").read_text() == "mine"


def test_a_model_and_other_things_of_ours_stay(classifier, tmp_path):
    path = _write_rows(tmp_path / "rows.jsonl", [{"text": "a dog"}])
    with pytest.raises(ValueError, match="must not be an input"):
        predict_on_beam(classifier, [path], classifier, overwrite=True)
    with new_directory(tmp_path / "other") as staging:
        (staging / "file").write_text("text")
    other = str(tmp_path / "other")
    with pytest.raises(ValueError, match="manifest.json exists"):
        predict_on_beam(classifier, [path], other, overwrite=True)
    assert (tmp_path / "other" / "manifest.json").exists()


def test_a_missing_column_stops_the_run(classifier, tmp_path):
    (tmp_path / "rows.csv").write_text("review\na dog\n")
    with pytest.raises(ValueError, match="rows.csv.*text"):
        predict_on_beam(
            classifier, [str(tmp_path / "rows.csv")], str(tmp_path / "out")
        )
    assert not (tmp_path / "out" / "manifest.json").exists()


@pytest.mark.parametrize(
    "name, columns, complaint",
    [
        ("rows.png", {}, "Input files must be .txt, .csv.*rows.png"),
        ("rows.txt", {}, "A .txt file has one text per line.*takes 2"),
        ("rows.csv", {}, "lists of texts.*rows.csv"),
        (
            "rows.jsonl",
            {"texts": "a"},
            "inputs of the model .choices, text.*texts",
        ),
    ],
)
def test_what_does_not_fit_is_told_at_once(
    chooser, tmp_path, name, columns, complaint
):
    (tmp_path / name).write_text("a\n")
    with pytest.raises(ValueError, match=complaint):
        predict_on_beam(
            chooser, [str(tmp_path / name)], str(tmp_path / "out"), columns
        )
    assert not (tmp_path / "out").exists()


def test_a_model_is_a_saved_model(tmp_path):
    with pytest.raises(ValueError, match="cannot be loaded as a SavedModel"):
        predict_on_beam(str(tmp_path), ["a.txt"], str(tmp_path / "out"))
