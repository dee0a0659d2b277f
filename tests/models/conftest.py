"""What tests of models share."""

import json

import keras
import numpy as np
import pytest


@pytest.fixture
def widened():
    """A function from a model to the same, every weight made to matter."""

    def widen(model):
        random = np.random.default_rng(0)
        for weight in model.trainable_weights:
            noise = random.normal(0.0, 0.3, weight.shape)
            weight.assign_add(noise.astype("float32"))
        return model

    return widen


@pytest.fixture
def num_parameters():
    """A function from a builder and a config to the size of the model.

    No weight is made, so that it may be a large one.
    """

    def count(build, config):
        with keras.StatelessScope(initialize_variables=False):
            model = build(config)
        keras.utils.clear_session()
        return model.count_params()

    return count


@pytest.fixture
def check_keras_file(tmp_path):
    """A function that holds a model to its .keras file and its clone."""

    def check(model, inputs):
        model.save(tmp_path / "model.keras")
        reloaded = keras.saving.load_model(tmp_path / "model.keras")
        clone = keras.models.clone_model(model)
        clone.set_weights(model.get_weights())
        paths = [weight.path for weight in model.weights]
        for copy in reloaded, clone:
            assert [weight.path for weight in copy.weights] == paths
            outputs = copy(inputs)
            for name, expected in model(inputs).items():
                np.testing.assert_array_equal(outputs[name], expected)

    return check


@pytest.fixture
def check_config_file(tmp_path):
    """A function that holds a config to what its own file gives."""

    def check(config):
        config.to_json(tmp_path / "config.json")
        assert type(config).from_json(tmp_path / "config.json") == config

    return check


@pytest.fixture
def check_refused(tmp_path):
    """A function that reads a bad config file; its error must match."""

    def check(config_class, values, message):
        path = tmp_path / "some_config.json"
        path.write_text(json.dumps(values), encoding="utf-8")
        with pytest.raises(ValueError, match=f"some_config.json: .*{message}"):
            config_class.from_json(path)

    return check
