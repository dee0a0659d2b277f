"""Files of an earlier version work; see `golden/make_earlier_golden.sh`."""

import json
import pathlib
import shutil

import numpy as np
import pytest

import keras_bert
from keras_bert import pretraining
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.files.manifest import read_manifest
from keras_bert.pretraining import job

_GOLDEN = pathlib.Path(__file__).parent / "golden" / "earlier"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(shutil.copytree(_GOLDEN, tmp_path, dirs_exist_ok=True))
    return tmp_path


def _lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_records_are_of_the_same_run_and_made_with_the_same_bytes(folder):
    (folder / "again").mkdir()
    paths = ("records.tfrecord", "again/records.tfrecord")
    sources = pretraining.open_sources(["text.txt"])
    text = pretraining.TextOptions("vocab.txt", True)
    options = pretraining.DataOptions(16, 3, dupe_factor=4, random_seed=7)
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*rec*")}
    first, again = (
        pretraining.create_data(sources, [path], text, options)
        for path in paths
    )
    assert first == again
    assert before == {path: path.stat().st_mtime_ns for path in before}
    assert len({(folder / path).read_bytes() for path in paths}) == 1
    manifests = map(read_manifest, folder.rglob("manifest-rec*"))
    old, new = ({**x, "command": 0, "seconds": 0} for x in manifests)
    assert old == new


def test_a_killed_run_ends_as_a_whole_one(folder):
    recipe = job.PretrainingRecipe(
        **{"input_file": ["records.tfrecord"], "vocab_file": "vocab.txt"},
        **{"bert_config_file": "config.json", "output_dir": "run"},
        **{"num_train_steps": 400, "num_warmup_steps": 5, "log_steps": 200},
        **{"train_batch_size": 8, "learning_rate": 5e-3},
        precision="float32",
    )
    job.run_plan(job.plan_pretraining(recipe))
    lines = _lines(folder / "run" / "metrics.jsonl")
    assert [line["step"] for line in lines] == [200, 400]
    expected = SafetensorsFile("expected/model.safetensors")
    # Equal on the same machine. Rounding changes key biases, which have no
    # gradient, by 1e-4; other batches or dropout change all weights by 1e-2.
    for path, weight in keras_bert.from_pretrained("run").weights.items():
        np.testing.assert_allclose(weight, expected.read(path), atol=1e-3)


def test_a_classifier_answers_the_same(folder):
    rows = (folder / "train.tsv").read_text().splitlines()[1:]
    texts = [row.partition("\t")[0] for row in rows]
    classifier = keras_bert.TextClassifier.from_pretrained("classifier")
    lines = _lines(folder / "expected" / "answers.jsonl")
    for answer, line in zip(classifier.predict(texts), lines, strict=True):
        expected = line["prediction"]
        near = pytest.approx(expected["probability"], abs=1e-5)
        assert answer == {**expected, "probability": near}
