"""Batches that are computed in parts."""

import numpy as np
import pytest

from tests.tasks.cases import CASES
from tests.tasks.cases import create

pytestmark = pytest.mark.large


def _learned(name, num_parts, **config):
    """Return the losses of each epoch and the final predictions."""
    task, examples = create(name, **config), CASES[name].examples
    # The last batch has one row, which leaves parts without a row.
    recipe = {"epochs": 4, "batch_size": 5, "learning_rate": 0.003}
    recipe |= {"parallel_parts": num_parts, "verbose": 0}
    history = task.fit(*examples, **recipe).history
    encoded = task._labelled(*examples)
    rows = encoded.inputs(np.arange(len(encoded)))
    outputs = task.model.predict_on_batch(rows)["logits"]
    return np.array(history["loss"]), np.array(outputs)


@pytest.mark.smoke("classifier")
@pytest.mark.parametrize("name", ["classifier", "tagger", "chooser"])
def test_parts_learn_what_the_whole_learns(name):
    whole, parts = _learned(name, 1), _learned(name, 3)
    assert whole[0][-1] < whole[0][0]
    for expected, found in zip(whole, parts, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-2, atol=2e-3)


@pytest.mark.exhaustive
def test_dropout_in_parts_is_the_same_for_the_same_seed():
    dropout = {"hidden_dropout_prob": 0.3, "attention_probs_dropout_prob": 0.3}
    one, same = (_learned("classifier", 2, **dropout) for _ in range(2))
    without = _learned("classifier", 2)
    for a, b, c in zip(one, same, without, strict=True):
        np.testing.assert_array_equal(a, b)
        assert not np.allclose(a, c)
