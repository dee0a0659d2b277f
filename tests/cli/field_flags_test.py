import dataclasses
import re

import pytest

from keras_bert.cli.field_flags import FieldFlags
from keras_bert.cli.field_flags import field_meanings
from keras_bert.command_line import Program
from keras_bert.tasks.training.recipe import Recipe


@pytest.fixture
def parse(parsed):
    """Return the recipe of a command line."""

    def parse(*words, **defaults):
        return parsed(
            lambda program: FieldFlags(program, Recipe, **defaults), words
        ).values()

    return parse


def test_defaults_are_those_of_the_recipe(parse):
    assert parse() == Recipe()
    assert parse(epochs=2, seed=1) == Recipe(epochs=2, seed=1)


def test_flags_have_the_names_of_bert(parse):
    words = "num_train_epochs=5 train_batch_size=7 random_seed=11 patience=3"
    recipe = parse(*(f"--{word}" for word in words.split()))
    assert recipe == Recipe(epochs=5, batch_size=7, seed=11, patience=3)


@dataclasses.dataclass
class _Options:
    """Options.

    Args:
        source, target: files, sorted; see `count`.
        count: how many
            of `zip`.
        kind: "a" or "b".

    Raises:
        ValueError: never.
    """


def test_meanings_are_those_of_the_docstring():
    assert field_meanings(_Options) == {
        "source": "Files, sorted; see `count`.",
        "target": "Files, sorted; see `count`.",
        "count": "How many of `zip`.",
        "kind": '"a" or "b".',
    }


def test_a_manual_shows_flags_under_their_titles():
    program = Program("A test.")
    _, grouped, _ = (
        program.bool(name, False, "Of a test.")
        for name in ("plain", "grouped", "last")
    )
    program.group("Some", [grouped])
    shown = re.findall(r"^\w+:$|(?<=\[no\])\w+", program.manual(), re.M)
    assert shown == ["Flags:", "plain", "last", "Some:", "grouped"]
