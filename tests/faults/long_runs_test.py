"""Memory and open files do not grow in long runs."""

import json

import pytest

from tests.processes import run_python

pytestmark = pytest.mark.exhaustive


@pytest.mark.parametrize(
    ("run", "count", "most_mib"),
    [
        ("requests", 5000, 10),
        ("predictions", 5000, 10),
        ("fits", 20, 60),
        ("steps", 20_000, 10),
        ("views", 20_000, 10),
    ],
)
def test_memory_and_files_do_not_grow(run, count, most_mib):
    result = run_python("-m", "tests.faults.long_runs", run, f"--count={count}")
    states = [json.loads(line) for line in result.stdout.splitlines()]
    middle, end = states[len(states) // 2], states[-1]
    assert end["count"] == count
    assert end["open_files"] <= middle["open_files"]
    assert end["resident_mib"] - middle["resident_mib"] <= most_mib
