import dataclasses

import pytest
from absl import flags

from keras_bert.programs.fine_tuning import recipe_flags
from keras_bert.tasks.fine_tuning.recipe import Recipe


@pytest.fixture
def parse(monkeypatch):
    """The recipe of a command line."""

    def parse(*words, **defaults):
        values = flags.FlagValues()
        for kind in ("integer", "float"):
            define = getattr(flags, f"DEFINE_{kind}")
            monkeypatch.setattr(
                recipe_flags.flags,
                f"DEFINE_{kind}",
                lambda *given, define=define: define(
                    *given, flag_values=values
                ),
            )
        holders = recipe_flags.RecipeFlags(**defaults)
        monkeypatch.undo()
        values(["program", *words])
        return holders.recipe()

    return parse


def test_defaults_are_those_of_the_recipe(parse):
    assert parse() == Recipe(seed=12345)  # As in all programs.
    assert parse(epochs=2, seed=1) == Recipe(epochs=2, seed=1)


def test_every_field_has_its_flag(parse):
    words = {
        "num_train_epochs": 5,
        "train_batch_size": 7,
        "learning_rate": 0.5,
        "warmup_proportion": 0.3,
        "weight_decay": 0.2,
        "layer_decay": 0.9,
        "num_frozen_layers": 1,
        "num_reset_layers": 2,
        "label_smoothing": 0.1,
        "patience": 3,
        "random_seed": 11,
        "parallel_parts": 2,
    }
    recipe = parse(*(f"--{name}={value}" for name, value in words.items()))
    values = tuple(dataclasses.asdict(recipe).values())
    assert values == (5, 7, 0.5, 0.3, 0.2, 0.9, 1, 2, 0.1, 3, 11, 2)


def test_an_error_names_the_flag(parse):
    with pytest.raises(
        ValueError, match="--num_train_epochs must.*--num_train_epochs=0"
    ):
        parse("--num_train_epochs=0")
