import keras
import numpy as np
import pytest

from keras_bert.tasks.features.model import FeatureDesign
from keras_bert.tasks.features.model import lstm_head
from keras_bert.tasks.features.model import states_of_layers

_MASK = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]], "int32")


def _states(seed=0):
    random = np.random.default_rng(seed)
    return random.normal(size=(2, 5, 2, 3)).astype("float16")


def _head(is_per_token, combination="concatenate"):
    keras.utils.set_random_seed(1)
    design = FeatureDesign((1, 2), combination, 4, 0.5)
    return lstm_head(design, 3, 6, is_per_token)


def _logits(head, states, mask=_MASK):
    outputs = head({"states": states, "input_mask": mask})
    return np.array(outputs["logits"])


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _lstm(vectors, layer):
    """Compute one direction over one text, step by step."""
    kernel, bias, recurrent_kernel = layer.get_weights()
    hidden = cell = np.zeros(len(recurrent_kernel))
    outputs = []
    for vector in vectors:
        gates = vector @ kernel + hidden @ recurrent_kernel + bias
        enter, forget, new, leave = np.split(gates, 4)
        cell = _sigmoid(forget) * cell + _sigmoid(enter) * np.tanh(new)
        hidden = _sigmoid(leave) * np.tanh(cell)
        outputs.append(hidden)
    return np.array(outputs)


def _both_ways(vectors, head, number):
    forward, backward = (
        head.get_layer(f"{direction}_lstm_{number}")
        for direction in ("forward", "backward")
    )
    return _lstm(vectors, forward), _lstm(vectors[::-1], backward)[::-1]


def test_states_are_those_of_the_layers_as_they_are_named(bert):
    ids = {
        "input_ids": np.array([[2, 6, 7, 3, 0]], "int32"),
        "input_mask": np.array([[1, 1, 1, 1, 0]], "int32"),
        "segment_ids": np.zeros((1, 5), "int32"),
    }
    every = bert.backbone.states_model()(ids)
    states = states_of_layers(bert.backbone, (1, 0))(ids)["states"]
    assert states.dtype == "float16"
    for place, name in enumerate("10"):
        np.testing.assert_array_equal(
            states[:, :, place], np.array(every[name]).astype("float16")
        )


def test_blocks_above_are_not_computed(make_bert):
    bert = make_bert(num_hidden_layers=2)
    names = {
        layer.name for layer in states_of_layers(bert.backbone, [1]).layers
    }
    assert "block_0" in names and "block_1" not in names


@pytest.mark.parametrize("is_per_token", [True, False])
def test_it_is_two_lstms_in_both_directions_without_padding(is_per_token):
    head = _head(is_per_token)
    states = _states()
    found = _logits(head, states)
    kernel, bias = head.get_layer("head").get_weights()
    for row, length in enumerate([3, 5]):
        vectors = states[row, :length].reshape(length, 6).astype(np.float64)
        lower = _both_ways(vectors, head, 0)
        forward, backward = _both_ways(np.concatenate(lower, axis=-1), head, 1)
        upper = np.concatenate([forward, backward], axis=-1)
        if not is_per_token:
            upper = np.concatenate([forward[-1], backward[0]])
        logits = found[row, :length] if is_per_token else found[row]
        np.testing.assert_allclose(logits, upper @ kernel + bias, atol=1e-5)


def test_weighted_layers_are_added_up():
    head = _head(True, "weighted")
    scores = np.array([50.0, -50.0])
    head.get_layer("scalar_mix").set_weights([scores, np.array(1.0)])
    states, other = _states(), _states()
    other[:, :, 1] = 0  # The layer with weight 0.
    np.testing.assert_allclose(_logits(head, states), _logits(head, other))
    other[:, :, 0] = 0
    assert np.abs(_logits(head, states) - _logits(head, other)).max() > 0.001
