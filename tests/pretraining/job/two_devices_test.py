"""Results of `two_devices.py`, from one process because it starts slowly."""

import json
import pathlib

import pytest

from tests.processes import run_python


def run(*names):
    program = pathlib.Path(__file__).with_name("two_devices.py")
    result = run_python(program, *names, TF_CPP_MIN_LOG_LEVEL="3")
    return json.loads(result.stdout.splitlines()[-1])


pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize("name", ["adamw", "lamb", "stable", "pieces"])
def test_two_devices_train_as_one_does(name):
    found = run(name)
    assert found["losses"] < 1e-5 and found["weights"] < 1e-5
    assert found["chief"] and found["steps"] == [19, 19]
    assert found["evaluation"] < 1e-5


def test_devices_have_their_own_dropout_which_goes_on_with_the_state():
    found = run()
    assert found["same examples without dropout"] < 1e-5
    assert found["same examples with dropout"] > 1e-3
    for name in ("restored on one", "dropout again"):
        assert found[name] == 0
    assert "Received: jit_compile=True, 2 devices" in found["jit"]
