import keras
import numpy as np
import pytest

from keras_bert import features
from keras_bert.layers import BertEmbeddings
from keras_bert.layers import TransformerEncoderBlock
from keras_bert.models import Backbone
from keras_bert.models.family import family_of
from tests import tiny


def shared_backbone():
    """Return a backbone that uses one block three times, as in ALBERT."""
    embeddings = BertEmbeddings(30, 8, 16, dropout=0.0, name="embeddings")
    block = TransformerEncoderBlock(
        8, 2, 16, dropout=0.0, attention_dropout=0.0, name="block"
    )
    backbone = Backbone(embeddings, [block] * 3)
    tiny.widened(backbone.states_model())
    return backbone


def encoder_part(batch):
    names = [feature.name for feature in features.ENCODER_INPUTS]
    return {name: batch[0][name] for name in names}


def states_by_hand(backbone, inputs):
    """Call the layers one after the other, without a model."""
    states = [backbone.embeddings(inputs["input_ids"], inputs["segment_ids"])]
    for block in backbone.blocks:
        states.append(block(states[-1], inputs["input_mask"]))
    return [keras.ops.convert_to_numpy(x) for x in states]


@pytest.mark.parametrize("num_states", [1, 2, 4])
def test_the_last_states_come_without_the_others(random_batch, num_states):
    backbone = shared_backbone()
    inputs = encoder_part(random_batch(0))
    states = backbone.states_model(num_states).predict_on_batch(inputs)
    expected = states_by_hand(backbone, inputs)[-num_states:]
    assert len(states) == num_states
    for number, values in enumerate(expected):
        np.testing.assert_allclose(states[str(number)], values, atol=1e-6)


def test_attention_weights_are_those_of_each_run(random_batch):
    backbone = shared_backbone()
    inputs = encoder_part(random_batch(0))
    weights = backbone.attention_weights(inputs)
    assert len(weights) == 3
    for states, found in zip(states_by_hand(backbone, inputs), weights):
        attention = backbone.blocks[0].self_attention
        expected = attention.attention_weights(states, inputs["input_mask"])
        np.testing.assert_allclose(found, expected, atol=1e-5)
    masked = inputs["input_mask"][:, None, None, :] == 0
    assert np.abs(np.asarray(weights) * masked).max() < 1e-6


@pytest.mark.parametrize(
    "name, changes, words",
    [
        ("deberta-v2", {"conv_kernel_size": 3}, "are not .* by .*convolution"),
        ("big_bird", {}, "are not supported by .*block-sparse"),
        ("longformer", {}, "cannot have global"),
    ],
)
def test_blocks_that_would_mix_texts_refuse_packed_rows(name, changes, words):
    family, config = family_of(name), tiny.config(name, **changes)
    backbone = family.backbone(config)
    if context := family.task_heads["classifier"].context:
        backbone = backbone.with_context(context(config))
    with pytest.raises(ValueError, match=f"Packed sequences {words}"):
        backbone.packed()
