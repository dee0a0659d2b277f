import dataclasses

import pytest

from keras_bert.tasks.training.recipe import Recipe
from keras_bert.tasks.training.recipe import paper_grid
from keras_bert.tasks.training.recipe import with_seeds


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("epochs", 0, "an integer, at least 1"),
        ("learning_rate", 0.0, "a number above 0"),
        ("warmup", 1.0, "a number, at least 0 and below 1"),
        ("weight_decay", -1.0, "a number, at least 0"),
        ("layer_decay", 0.0, "a number above 0, at most 1"),
        ("num_frozen_layers", -2, "an integer, at least -1"),
        ("label_smoothing", 1.0, "a number, at least 0 and below 1"),
        ("label_share", 1.0, "a number, at least 0 and below 1"),
    ],
)
def test_a_value_out_of_range_is_named(name, value, message):
    with pytest.raises(
        ValueError, match=f"`{name}` must be {message}. .*{name}={value}"
    ):
        Recipe(**{name: value})


def test_seeds_follow_that_of_the_recipe():
    recipes = with_seeds(Recipe(seed=7, epochs=2), 3)
    assert [recipe.seed for recipe in recipes] == [7, 8, 9]
    assert {dataclasses.replace(x, seed=7) for x in recipes} == {
        Recipe(seed=7, epochs=2)
    }


def test_the_grid_is_that_of_the_paper():
    """Check the values of appendix A.3 that work well across all tasks."""
    recipes = paper_grid(Recipe(seed=7, warmup=0.2))
    assert {(x.batch_size, x.learning_rate, x.epochs) for x in recipes} == {
        (size, rate, epochs)
        for size in (16, 32)
        for rate in (5e-5, 3e-5, 2e-5)
        for epochs in (2, 3, 4)
    }
    assert len(recipes) == 18
    assert {(x.seed, x.warmup) for x in recipes} == {(7, 0.2)}


def test_adapters_have_a_larger_default_rate():
    assert Recipe().peak_learning_rate == 3e-5
    assert Recipe(lora_rank=8).peak_learning_rate == 5e-4
    assert Recipe(lora_rank=8, learning_rate=3e-5).peak_learning_rate == 3e-5
