"""Flags of a test, separate from the flags of the process."""

import pytest
from absl import flags


@pytest.fixture
def parsed(monkeypatch):
    """Return a function that defines flags and parses a command line."""

    def parsed(make, words):
        values = flags.FlagValues()
        with monkeypatch.context() as patch:
            for kind in ("bool", "enum", "float", "integer", "string"):
                name = f"DEFINE_{kind}"
                patch.setattr(
                    flags,
                    name,
                    lambda *given, define=getattr(flags, name), **more: define(
                        *given, flag_values=values, **more
                    ),
                )
            holders = make()
        values(["program", *words])
        return holders

    return parsed
