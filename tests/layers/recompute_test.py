import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints.family import find_family
from keras_bert.tasks.training.adapters import add_adapters
from tests import tiny

_INPUTS = {
    "input_ids": np.array([[2, 7, 9, 4, 8, 3], [2, 5, 6, 3, 0, 0]], "int32"),
    "input_mask": np.array([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]], "int32"),
    "segment_ids": np.array([[0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 0]], "int32"),
}


@pytest.mark.smoke("bert deberta-v2 xlnet")
@pytest.mark.parametrize(
    "model_type",
    [
        "albert",
        "bert",
        "big_bird",
        "deberta",
        "deberta-v2",
        "longformer",
        "modernbert",
        "mpnet",
        "xlnet",
    ],
)
def test_recomputing_does_not_change_outputs_and_gradients(model_type):
    family = find_family(model_type)
    known = family.config.__dataclass_fields__
    keys = [key for key in family.config.dropout_keys if key in known]
    dropout = dict.fromkeys(keys, 0.3)
    backbone = family.backbone(tiny.config(model_type, **dropout))
    _check_recomputing(backbone, bool(keys))


def test_recomputing_does_not_change_adapters():
    family = find_family("bert")
    backbone = family.backbone(tiny.config("bert", hidden_dropout_prob=0.3))
    add_adapters(backbone, 2)
    _check_recomputing(backbone, True)


def _check_recomputing(backbone, has_dropout):
    model = tiny.widened(backbone.encoder("encoder"))
    seeds = [v for v in model.variables if v.name == "seed_generator_state"]
    assert bool(seeds) == has_dropout
    found = []
    for recomputes in (False, True):
        for block in backbone.blocks:
            block.recomputes = recomputes
        for seed in seeds:
            seed.assign([7, 0])
        found.append(_outputs_and_gradients(model))
    assert len(found[0]) == len(found[1])
    for stored, recomputed in zip(*found, strict=True):
        np.testing.assert_allclose(recomputed, stored, rtol=1e-4, atol=1e-4)
    for seed in seeds:  # The next step has other random numbers.
        assert seed.numpy()[1] > 0


def _outputs_and_gradients(model):
    @tf.function
    def compute(inputs):
        with tf.GradientTape() as tape:
            output = model(inputs, training=True)["sequence_output"]
            loss = tf.reduce_sum(output**3)
        weights = [weight.value for weight in model.trainable_weights]
        zero = tf.UnconnectedGradients.ZERO
        return output, tape.gradient(loss, weights, None, zero)

    output, gradients = compute({name: _INPUTS[name] for name in model.input})
    return [output.numpy(), *(tf.convert_to_tensor(x) for x in gradients)]
