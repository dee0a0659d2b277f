"""Results of `two_devices.py`, from one process because it starts slowly."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

_HERE = pathlib.Path(__file__).parent


def run(*names):
    result = subprocess.run(
        [sys.executable, _HERE / "two_devices.py", *names],
        env={
            **os.environ,
            "PYTHONPATH": str(_HERE.parents[2]),
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout.splitlines()[-1])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["adamw", "lamb", "stable", "pieces"])
def test_two_devices_train_as_one_does(name):
    found = run(name)
    assert found["losses"] < 1e-5 and found["weights"] < 1e-5
    assert found["chief"] and found["steps"] == [19, 19]


@pytest.fixture(scope="module")
def found():
    return run()


@pytest.mark.exhaustive
def test_two_devices_train_as_fit_does_where_they_predict_as_much(found):
    assert found["evaluation"] < 1e-5
    assert found["fit losses"] < 1e-5
    assert found["fit weights"] < 1e-5


@pytest.mark.exhaustive
def test_fit_goes_on_with_its_dropout(found):
    assert found["fit again"] == 0


@pytest.mark.exhaustive
def test_a_state_goes_on_with_other_devices(found):
    assert found["restored on one"] == 0
    assert found["dropout again"] == 0
    assert found["seeds differ between devices"] == 0


@pytest.mark.exhaustive
def test_each_device_drops_other_places(found):
    assert found["same examples without dropout"] < 1e-5
    assert found["same examples with dropout"] > 1e-3
    assert found["same run with dropout"] == 0


@pytest.mark.exhaustive
def test_a_compiled_step_for_two_cpus_is_an_error(found):
    assert "Received: jit_compile=True, 2 devices" in found["jit"]
