import dataclasses
import json
import os
import signal

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.pretraining.job import pretraining_run
from keras_bert.pretraining.job.pretraining_run import run_pretraining
from keras_bert.pretraining.job.recipe import RunOptions
from tests import tiny
from tests.optimizers.curve_test import read_lines
from tests.optimizers.curve_test import read_scalars
from tests.pretraining.job.loop_test import make_loop
from tests.tiny import reset
from tests.tiny import values_of

_BATCH_SIZE = 8
_NUM_STEPS = 20
_RATES = LinearWarmupDecay(0.02, _NUM_STEPS, num_warmup_steps=2)
_TIMED = ("examples_per_second", "tokens_per_second")
_OPTIONS = RunOptions(
    num_train_steps=_NUM_STEPS,
    log_steps=6,
    eval_steps=8,
    save_checkpoints_steps=5,
    steps_per_execution=4,
    sources="a.tfrecord,b.tfrecord",
)


def check_values(loop, expected):
    for ours, theirs in zip(values_of(loop), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def forget_states(directory):
    for path in directory.glob("states/*"):
        path.unlink()


def untimed(curve):
    return [
        {name: value for name, value in line.items() if name not in _TIMED}
        for line in curve
    ]


def saved_steps(directory):
    return [int(path.stem[-8:]) for path in sorted(directory.glob("states/*"))]


@pytest.fixture(scope="module")
def toy_loop():
    """Return a traced loop and its initial values, for resets."""
    rates = ("hidden_dropout_prob", "attention_probs_dropout_prob")
    config = tiny.config("bert", L=1, **dict.fromkeys(rates, 0.1))
    loop = make_loop(config, rates=_RATES)
    return loop, values_of(loop)


@pytest.fixture
def toy(toy_loop, random_batch, tmp_path):
    """Return a function that runs the toy problem; extras go to `RunOptions`.

    The first word is to be predicted; high ones mean random. `bad_batches`
    have gradients that are not finite. The data ends after `most` batches.
    """
    loop, values = toy_loop
    reset(loop, values)

    def stacked(seeds, bad_batches=()):
        batches = []
        for seed in seeds:
            inputs, labels, weights = random_batch(seed, _BATCH_SIZE)
            first = np.where(np.arange(_BATCH_SIZE) % 2, 5, 20)
            inputs["input_ids"][:, 0] = first
            labels["mlm_logits"] = np.tile(first[:, None], (1, 3))
            labels["nsp_logits"] = first == 20
            labels = {name: x.astype("int32") for name, x in labels.items()}
            if seed in bad_batches:
                weights["nsp_logits"][0] = np.inf
            batches.append((inputs, labels, weights))
        arrays = tf.nest.map_structure(lambda *x: np.stack(x), *batches)
        return tf.data.Dataset.from_tensor_slices(arrays)

    def run(
        bad_batches=(), eval_seeds=(100, 101), begin=None, most=-1, **changes
    ):
        options = dataclasses.replace(_OPTIONS, **changes)
        num_batches = options.num_train_steps + len(bad_batches)
        data = stacked(range(num_batches), bad_batches)
        return run_pretraining(
            loop,
            lambda first: data.skip(first).take(most),
            stacked(eval_seeds) if eval_seeds else None,
            _BATCH_SIZE,
            tmp_path,
            options,
            begin,
        )

    return run


def test_a_run_learns_and_writes_its_curve(toy, tmp_path):
    metrics = toy(num_train_steps=60, log_steps=25, eval_steps=0)
    curve = read_lines(tmp_path)
    assert [(line["step"], line["split"]) for line in curve] == [
        (0, "eval"),
        (25, "train"),
        (50, "train"),
        (60, "train"),
        (60, "eval"),
    ]
    names = {"mlm_loss", "mlm_accuracy", "nsp_loss", "nsp_accuracy"}
    assert {*curve[0]} == {"step", "split", *names}
    more = {"loss", "gradient_norm", "learning_rate", *_TIMED}
    assert {*curve[1]} == {"step", "split", *names, *more}
    assert {"step": 60, "split": "eval", **metrics} == curve[-1]
    start, end = curve[0], curve[-1]
    assert start["mlm_loss"] == pytest.approx(np.log(30), abs=0.1)
    assert start["nsp_loss"] == pytest.approx(np.log(2), abs=0.05)
    assert end["mlm_loss"] < start["mlm_loss"] - 0.5
    assert curve[3]["learning_rate"] == 0
    speed = curve[1]["examples_per_second"]
    assert curve[1]["tokens_per_second"] > speed
    assert saved_steps(tmp_path) == [55, 60]
    assert {x[:2]: x[2] for x in read_scalars(tmp_path)} == {
        (line["step"], f"{line['split']}/{name}"): pytest.approx(value)
        for line in curve
        for name, value in line.items()
        if name not in ("step", "split")
    }


def test_a_state_names_its_weights(toy, toy_loop, tmp_path):
    toy(num_train_steps=2, eval_seeds=None)
    model = toy_loop[0].model
    with np.load(tmp_path / "states" / "step-00000002.npz") as state:
        names = json.loads(str(state["about"]))["weights"]
        values = [state[f"{i:05d}"] for i in range(len(names))]
    assert names == [weight.path for weight in model.weights]
    assert len({*names}) == len(names)
    for value, weight in zip(values, model.weights, strict=True):
        np.testing.assert_array_equal(value, weight.numpy())


def test_a_run_begins_before_it_writes_and_once_its_state_fits(toy, tmp_path):
    seen = []

    def begin():
        seen.append(sorted(path.name for path in tmp_path.iterdir()))

    toy(num_train_steps=1, eval_seeds=None, begin=begin)
    assert seen == [[]]
    with np.load(tmp_path / "states" / "step-00000001.npz") as state:
        arrays = {name: state[name] for name in state.files}
    arrays["00000"] = np.zeros(3)
    with open(tmp_path / "states" / "step-00000001.npz", "wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match="belongs to a different"):
        toy(num_train_steps=1, eval_seeds=None, begin=begin)
    assert len(seen) == 1


def test_a_gradient_that_is_not_finite_stops_the_run(toy, tmp_path):
    with pytest.raises(
        FloatingPointError,
        match="not finite after step 14, at learning rate .* row: 1"
        ".* Records: a.tfrecord,b.tfrecord.",
    ):
        toy(bad_batches=[13])
    assert saved_steps(tmp_path) == [5, 10]
    assert read_lines(tmp_path)[-1]["step"] <= 12


def test_a_run_with_skipped_batches_ends_when_its_schedule_does(
    toy, toy_loop, tmp_path
):
    """The data ends after 9 batches; each run resumes with corrupt values."""
    loop, values = toy_loop
    arguments = {"bad_batches": [6, 7, 13, 22], "on_nan": "skip"}
    metrics = toy(**arguments)
    assert int(loop.optimizer.iterations) == _NUM_STEPS
    expected, curve = values_of(loop), read_lines(tmp_path)
    trained = [x for x in curve if x["split"] == "train"]
    assert [x["step"] for x in trained] == [6, 12, 18, 20]
    assert [x.get("skipped_steps", 0) for x in trained] == [0, 3, 0, 1]
    assert all(np.isfinite(line["loss"]) for line in trained)
    for line in trained:
        rate = float(_RATES(line["step"]))
        assert line["learning_rate"] == pytest.approx(rate)
    assert [x["step"] for x in curve if x["split"] == "eval"] == [0, 8, 16, 20]
    assert saved_steps(tmp_path) == [15, 20]
    forget_states(tmp_path)
    reset(loop, values)
    for num_runs in range(1, _NUM_STEPS):
        try:
            again = toy(**arguments, most=9)
            break
        except tf.errors.OutOfRangeError:
            reset(loop, [np.ones_like(value) for value in values])
    assert num_runs > 1
    assert again == metrics
    check_values(loop, expected)
    assert toy(**arguments) == metrics  # Already finished.
    assert untimed(read_lines(tmp_path)) == untimed(curve)


def test_too_many_skipped_batches_in_a_row_stop_the_run(toy, monkeypatch):
    monkeypatch.setattr(pretraining_run, "_MAX_SKIPPED", 10)
    arguments = {
        "num_train_steps": 2,
        "steps_per_execution": 1,
        "eval_seeds": None,
        "on_nan": "skip",
    }
    with pytest.raises(FloatingPointError, match=r"after step 0, .*: 10\)"):
        toy(bad_batches=range(10), **arguments)
    bad = {*range(20)} - {8, 18}
    assert toy(bad_batches=bad, **arguments) == {}


def test_the_weights_do_not_depend_on_when_one_looks(toy, toy_loop, tmp_path):
    loop, values = toy_loop
    toy(steps_per_execution=1)
    expected = values_of(loop)
    every = {"log_steps": 20, "save_checkpoints_steps": 20}
    for changes in (
        {"steps_per_execution": 20, **every},
        {"eval_seeds": None, "keep_checkpoint_max": 1, "log_steps": 7},
    ):
        forget_states(tmp_path)
        reset(loop, values)
        toy(**changes)
        check_values(loop, expected)


def test_a_run_interrupted_before_its_first_state_begins_anew(
    toy, toy_loop, tmp_path, monkeypatch
):
    def fail(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(pretraining_run, "save_state", fail)
        with pytest.raises(KeyboardInterrupt):
            toy()
    reset(*toy_loop)
    toy()
    steps = [(x["step"], x["split"]) for x in read_lines(tmp_path)]
    assert len(steps) == len({*steps})


def test_a_signal_saves_and_ends_with_its_code(
    toy, toy_loop, tmp_path, monkeypatch, caplog
):
    loop, train = toy_loop[0], toy_loop[0].train

    def terminated_train(batches, num_steps):
        if int(loop.optimizer.iterations) == 12:
            os.kill(os.getpid(), signal.SIGTERM)
        return train(batches, num_steps)

    monkeypatch.setattr(loop, "train", terminated_train)
    with pytest.raises(SystemExit) as caught:
        toy()
    assert caught.value.code == 143
    assert "Stopped at step 15. The state is saved; run the same" in caplog.text
    assert saved_steps(tmp_path) == [10, 15]
