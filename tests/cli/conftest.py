"""Flags of a test, parsed like the flags of a program."""

import pytest

from keras_bert import command_line


@pytest.fixture
def parsed():
    """Return a function that defines flags and parses a command line."""

    def parsed(make, words):
        program = command_line.Program("A test.")
        holders = make(program)
        program.parse(["program", *words])
        return holders

    return parsed
