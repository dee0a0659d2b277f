import math
import os
import pathlib

import numpy as np
import pytest

from keras_bert.data.labelled.glue_tasks import GLUE_TASKS
from keras_bert.programs.reports.glue_submission import write_glue_submission


@pytest.mark.parametrize(
    "task, split, name, predictions, rows",
    [
        ("cola", "test", "CoLA", ["1", "0"], "0\t1\n1\t0\n"),
        ("sst2", "test", "SST-2", ["1"], "0\t1\n"),
        ("mrpc", "test", "MRPC", ["0"], "0\t0\n"),
        (
            "stsb",
            "test",
            "STS-B",
            np.array([3.8, 0.00049, 5.0], "float32"),
            "0\t3.800\n1\t0.000\n2\t5.000\n",
        ),
        ("qqp", "test", "QQP", ["1", "1"], "0\t1\n1\t1\n"),
        (
            "mnli",
            "test_matched",
            "MNLI-m",
            ["neutral", "contradiction"],
            "0\tneutral\n1\tcontradiction\n",
        ),
        (
            "mnli",
            "test_mismatched",
            "MNLI-mm",
            ["entailment"],
            "0\tentailment\n",
        ),
        ("qnli", "test", "QNLI", ["not_entailment"], "0\tnot_entailment\n"),
        ("rte", "test", "RTE", ["entailment"], "0\tentailment\n"),
        ("wnli", "test", "WNLI", ["1"], "0\t1\n"),
        ("ax", "test", "AX", ["neutral"], "0\tneutral\n"),
    ],
)
def test_files_are_those_that_the_server_takes(
    tmp_path, task, split, name, predictions, rows
):
    directory = tmp_path / "new"
    path = write_glue_submission(task, split, predictions, str(directory))
    assert path == str(directory / f"{name}.tsv")
    content = pathlib.Path(path).read_bytes().decode()
    assert content == f"index\tprediction\n{rows}"
    names = {f"{name}.tsv", f"manifest-{name}.tsv.json"}
    assert {*os.listdir(directory)} == names


def test_every_task_has_a_file_of_its_own():
    names = [
        name
        for task in GLUE_TASKS.values()
        for name in task.submissions.values()
    ]
    assert len(names) == len({*names}) == 11


def test_only_what_we_wrote_is_replaced_and_only_if_asked(tmp_path):
    directory = str(tmp_path)
    path = write_glue_submission("rte", "test", ["entailment"], directory)
    other = ["not_entailment"]
    with pytest.raises(ValueError, match="RTE.tsv exists.*overwrite=True"):
        write_glue_submission("rte", "test", other, directory)
    write_glue_submission("rte", "test", other, directory, overwrite=True)
    assert pathlib.Path(path).read_text().endswith("0\tnot_entailment\n")
    theirs = tmp_path / "WNLI.tsv"
    theirs.write_text("mine")
    with pytest.raises(ValueError, match="WNLI.tsv exists, and no manifest"):
        write_glue_submission("wnli", "test", ["1"], directory, overwrite=True)
    assert theirs.read_text() == "mine"


@pytest.mark.parametrize(
    "task, split, predictions, message",
    [
        ("rte", "test", ["entailment", "1"], "rte.*Received: '1' at index 1"),
        ("mrpc", "test", [1], "'0', '1'. Received: 1 at index 0"),
        ("stsb", "test", [1.0, math.nan], "finite.*Received: nan at index 1"),
        ("stsb", "test", ["3.8"], "finite.*Received: '3.8' at index 0"),
        ("stsb", "test", [None], "finite.*Received: None at index 0"),
        ("cola", "test", [], "predictions of cola. Received: none"),
        ("mnli", "test", ["neutral"], "test_matched or .*Received: 'test'"),
        ("rte", "dev", ["entailment"], "be for test. Received: 'dev'"),
        ("snli", "test", ["neutral"], "Received: 'snli'"),
    ],
)
def test_nothing_is_written_of_predictions_at_fault(
    tmp_path, task, split, predictions, message
):
    with pytest.raises(ValueError, match=message):
        write_glue_submission(task, split, predictions, str(tmp_path))
    assert os.listdir(tmp_path) == []


def test_a_write_that_fails_leaves_nothing(tmp_path, monkeypatch):
    def fail(path, *args, **kwargs):
        path.write_bytes(b"index\tpred")
        raise OSError("no")

    monkeypatch.setattr(pathlib.Path, "write_text", fail)
    with pytest.raises(OSError, match="no"):
        write_glue_submission("wnli", "test", ["1"], str(tmp_path))
    assert os.listdir(tmp_path) == []
