"""Readers handle all inputs that the search for faults has kept."""

from tests.processes import run_python


def test_kept_inputs_are_read_or_refused_with_the_name_of_the_file():
    # A process of its own: memory is limited, and an input may crash it.
    result = run_python("-m", "tests.faults.fuzz")
    assert result.stdout == ""
