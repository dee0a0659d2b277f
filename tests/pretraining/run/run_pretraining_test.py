"""The program in killed, interrupted and concurrent processes."""

import dataclasses
import functools
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

_REPOSITORY = pathlib.Path(__file__).parents[3]
_NUM_STEPS = 400
_TIMED = ("examples_per_second", "tokens_per_second")


pytestmark = pytest.mark.large


@pytest.fixture(scope="module")
def start(make_records, tmp_path_factory):
    """Return a function that starts the program on an output directory."""
    records = make_records("static")
    place = records.place
    records.config.to_json(place / "dropout.json")
    dataclasses.replace(
        records.config,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    ).to_json(place / "no_dropout.json")

    def start(output_dir, *flags, config="dropout", cluster=None):
        environment = {
            **os.environ,
            "PYTHONPATH": str(_REPOSITORY),
            "TF_CPP_MIN_LOG_LEVEL": "3",
        }
        if cluster:
            environment["TF_CONFIG"] = json.dumps(cluster)
        return subprocess.Popen(
            [
                *(sys.executable, "-W", "ignore"),
                "tools/run_pretraining.py",
                f"--input_file={place / 'train.tfrecord'}",
                f"--eval_file={place / 'eval.tfrecord'}",
                f"--vocab_file={place / 'vocab.txt'}",
                f"--bert_config_file={place / config}.json",
                f"--output_dir={output_dir}",
                *("--max_seq_length=16", "--max_predictions_per_seq=3"),
                "--do_lower_case",
                *(f"--num_train_steps={_NUM_STEPS}", "--num_warmup_steps=10"),
                *("--train_batch_size=8", "--eval_batch_size=16"),
                *("--learning_rate=0.001", "--precision=float32"),
                *("--log_steps=30", "--eval_steps=100"),
                *("--save_checkpoints_steps=20", "--steps_per_execution=4"),
                *flags,
            ],
            cwd=_REPOSITORY,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


def finish(process):
    _, stderr = process.communicate()
    assert process.returncode == 0, stderr
    assert "Traceback" not in stderr


@pytest.fixture(scope="module")
def undisturbed(start, tmp_path_factory):
    """Return a function from a config to the directory of a complete run."""

    @functools.cache
    def undisturbed(config):
        directory = tmp_path_factory.mktemp(config) / "run"
        finish(start(directory, config=config))
        return directory

    return undisturbed


def wait_for_a_new_state(process, directory):
    before = {*directory.glob("states/*.npz")}
    while process.poll() is None:
        if {*directory.glob("states/*.npz")} - before:
            return
        time.sleep(0.01)


def weights_of(directory):
    file = SafetensorsFile(directory / "model.safetensors")
    return {name: file.read(name) for name in file.shapes}


def largest_difference(directory, other):
    ours, theirs = weights_of(directory), weights_of(other)
    assert {*ours} == {*theirs}
    return max(np.abs(ours[name] - theirs[name]).max() for name in ours)


def untimed_curve(directory):
    lines = (directory / "metrics.jsonl").read_text().splitlines()
    return [
        {name: x for name, x in json.loads(line).items() if name not in _TIMED}
        for line in lines
    ]


def check_curves_are_close(directory, other):
    curves = untimed_curve(directory), untimed_curve(other)
    for ours, theirs in zip(*curves, strict=True):
        assert ours.pop("split") == theirs.pop("split")
        assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-5)


def files_of(directory):
    return sorted(
        str(path.relative_to(directory)).partition(".out.")[0]
        for path in directory.rglob("*")
        if path.is_file()
    )


def test_a_run_that_is_killed_ends_the_same(start, undisturbed, tmp_path):
    expected = undisturbed("dropout")
    run = tmp_path / "run"
    process = start(run)
    wait_for_a_new_state(process, run)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not (run / "model.safetensors").exists()
    finish(start(run))
    for name in ("model.safetensors", "model_config.json", "vocab.txt"):
        assert (run / name).read_bytes() == (expected / name).read_bytes()
    assert untimed_curve(run) == untimed_curve(expected)


def start_workers(start, directory):
    ports = []
    for _ in range(2):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            ports.append(free.getsockname()[1])
    workers = [f"127.0.0.1:{port}" for port in ports]
    return [
        start(
            directory,
            "--strategy=multi_worker",
            config="no_dropout",
            cluster={
                "cluster": {"worker": workers},
                "task": {"type": "worker", "index": index},
            },
        )
        for index in range(2)
    ]


@pytest.mark.exhaustive
def test_two_workers_train_as_one_device_and_stop_together(
    start, undisturbed, tmp_path
):
    run = tmp_path / "run"
    workers = start_workers(start, run)
    wait_for_a_new_state(workers[0], run)
    workers[1].send_signal(signal.SIGTERM)  # The other worker must be notified.
    for worker in workers:
        _, stderr = worker.communicate()
        assert worker.returncode == 143, stderr
    for worker in start_workers(start, run):
        finish(worker)
    assert largest_difference(run, undisturbed("no_dropout")) < 1e-5
    check_curves_are_close(run, undisturbed("no_dropout"))
    # Only the first worker writes: one event file per start.
    files = files_of(undisturbed("no_dropout"))
    assert files_of(run) == sorted([*files, "events"])
