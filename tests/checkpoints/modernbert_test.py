"""ModernBERT: left padding, bfloat16 and servers."""

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert import from_pretrained
from keras_bert.export.saved_model.served_ops import check_ops
from tests.families.golden import Golden
from tests.families.golden import assert_close


@pytest.fixture(scope="module")
def golden(make_settings_of):
    return Golden("modernbert", make_settings_of)


def test_padding_may_be_on_the_left(model, golden):
    """Check lengths around the window and its half."""
    lengths = golden.real.sum(axis=1)
    assert [*lengths] == [5, 64, 65, 66, 128, 129, 130, 200]
    given = {
        name: np.stack([np.roll(x, -n) for x, n in zip(values, lengths)])
        for name, values in golden.inputs.items()
    }
    for index, state in model.backbone.states_model()(given).items():
        ours = np.asarray(state)[given["input_mask"].astype(bool)]
        expected = golden.outputs[f"hidden_states/{index}"][golden.real]
        assert np.abs(expected).max() > 1.0
        assert_close(ours, expected, 1e-5)


def test_bfloat16_is_as_close_as_that_of_transformers(golden, tmp_path):
    """Allow three times the mean and maximum error of transformers."""
    keras.config.set_dtype_policy("mixed_bfloat16")
    model = from_pretrained(golden.write(tmp_path / "hf"))
    inputs = {**golden.inputs, "masked_lm_positions": golden.positions}
    states = model.backbone.states_model()(golden.inputs)["4"]
    outputs, theirs = golden.outputs, golden.groups["bfloat16"]
    for ours, rough, exact in (
        (
            np.asarray(keras.ops.cast(states, "float32"))[golden.real],
            theirs["last_state"][golden.real],
            outputs["hidden_states/4"][golden.real],
        ),
        (
            np.asarray(model.pretrainer(inputs)["mlm_logits"]),
            theirs["logits"],
            outputs["logits"],
        ),
    ):
        lost, their_loss = np.abs(ours - exact), np.abs(rough - exact)
        assert 0 < lost.mean() <= 3 * their_loss.mean()
        assert lost.max() <= 3 * their_loss.max()


def test_a_server_runs_its_operations(model):
    encoder = model.encoder
    inputs = {
        name: tf.TensorSpec((None, None), "int32") for name in encoder.input
    }
    function = tf.function(encoder).get_concrete_function(inputs)
    check_ops(function.graph.as_graph_def(), "byte_bpe")
