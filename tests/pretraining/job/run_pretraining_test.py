"""The program in killed, interrupted and concurrent processes."""

import dataclasses
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import numpy as np
import pytest

from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.pretraining.job import PretrainingRecipe
from keras_bert.pretraining.job import plan_pretraining
from keras_bert.pretraining.job import run_plan
from tests.optimizers.curve_test import read_lines
from tests.pretraining.job.pretraining_run_test import untimed

_REPOSITORY = pathlib.Path(__file__).parents[3]
_VALUES = {
    "max_seq_length": 16,
    "max_predictions_per_seq": 3,
    "num_train_steps": 200,
    "num_warmup_steps": 10,
    "train_batch_size": 8,
    "eval_batch_size": 16,
    "learning_rate": 0.001,
    "precision": "float32",
    "log_steps": 30,
    "eval_steps": 100,
    "save_checkpoints_steps": 20,
    "steps_per_execution": 4,
}
pytestmark = pytest.mark.large


@pytest.fixture(scope="module")
def files(template, tmp_path_factory):
    """Return the flags for the input files, of a model without dropout."""
    rates = ("hidden_dropout_prob", "attention_probs_dropout_prob")
    config = dataclasses.replace(template.config, **dict.fromkeys(rates, 0.0))
    path = tmp_path_factory.mktemp("config") / "no_dropout.json"
    config.to_json(path)
    return {
        "input_file": template.file("static-train.tfrecord"),
        "eval_file": template.file("static-eval.tfrecord"),
        "vocab_file": template.file("vocab.txt"),
        "bert_config_file": str(path),
    }


def start(flags, output_dir, cluster=None):
    """Start the program on an output directory."""
    environment = {**os.environ, "PYTHONPATH": str(_REPOSITORY)}
    if cluster:
        environment["TF_CONFIG"] = json.dumps(cluster)
    flags = {**_VALUES, **flags, "output_dir": output_dir}
    return subprocess.Popen(
        [
            *(sys.executable, "-W", "ignore", "tools/run_pretraining.py"),
            *(f"--{name}={value}" for name, value in flags.items()),
        ],
        cwd=_REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def train(flags, output_dir):
    """Train in this process as the program does."""
    flags = {**_VALUES, **flags, "output_dir": str(output_dir)}
    for name in ("input_file", "eval_file"):
        flags[name] = [flags[name]]
    run_plan(plan_pretraining(PretrainingRecipe(**flags)))


def finish(process):
    _, stderr = process.communicate()
    assert process.returncode == 0, stderr
    assert "Traceback" not in stderr


def wait_for_a_new_state(process, directory):
    before = {*directory.glob("states/*.npz")}
    while process.poll() is None:
        if {*directory.glob("states/*.npz")} - before:
            return
        time.sleep(0.01)


def test_a_run_that_is_killed_ends_the_same(files, tmp_path):
    run, expected = tmp_path / "run", tmp_path / "expected"
    process = start(files, run)
    wait_for_a_new_state(process, run)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (run / "model.safetensors").exists()
    train(files, expected)
    train(files, run)
    for name in ("model.safetensors", "model_config.json", "vocab.txt"):
        assert (run / name).read_bytes() == (expected / name).read_bytes()
    assert untimed(read_lines(run)) == untimed(read_lines(expected))


def start_workers(flags, directory):
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    workers = [f"127.0.0.1:{port}" for port in ports]
    return [
        start(
            {**flags, "strategy": "multi_worker"},
            directory,
            cluster={
                "cluster": {"worker": workers},
                "task": {"type": "worker", "index": index},
            },
        )
        for index in range(2)
    ]


@pytest.mark.exhaustive
def test_two_workers_train_as_one_device_and_stop_together(files, tmp_path):
    run, expected = tmp_path / "run", tmp_path / "expected"
    train(files, expected)
    workers = start_workers(files, run)
    wait_for_a_new_state(workers[0], run)
    workers[1].send_signal(signal.SIGTERM)  # The other worker must be notified.
    for worker in workers:
        _, stderr = worker.communicate()
        assert worker.returncode == 143, stderr
    for worker in start_workers(files, run):
        finish(worker)
    ours, theirs = (
        SafetensorsFile(directory / "model.safetensors")
        for directory in (run, expected)
    )
    assert ours.shapes == theirs.shapes
    for name in ours.shapes:
        np.testing.assert_allclose(
            ours.read(name), theirs.read(name), atol=1e-5, err_msg=name
        )
    # Only the first worker writes: one event file per start.
    assert len([*run.glob("events.*")]) == 2
