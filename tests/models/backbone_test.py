import keras
import numpy as np
import pytest

from keras_bert import features
from keras_bert.layers import BertEmbeddings
from keras_bert.layers import LayerNorm
from keras_bert.layers import MaskedLMHead
from keras_bert.layers import NSPHead
from keras_bert.layers import TokenEmbeddings
from keras_bert.layers import TransformerEncoderBlock
from keras_bert.models import Backbone
from keras_bert.models import add_heads
from keras_bert.models.backbone import encoder_inputs


def make_block(name, **arguments):
    return TransformerEncoderBlock(
        8, 2, 16, dropout=0.0, attention_dropout=0.0, name=name, **arguments
    )


def shared_backbone(**arguments):
    """Return a backbone that uses one block three times, as in ALBERT."""
    backbone = Backbone(
        BertEmbeddings(30, 8, 16, dropout=0.0, name="embeddings"),
        [make_block("block")] * 3,
        **arguments,
    )
    model = backbone.states_model()
    random = np.random.default_rng(0)
    for weight in model.weights:
        noise = random.normal(0.0, 0.3, weight.shape)
        weight.assign_add(noise.astype("float32"))
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


def predict_states(backbone, inputs, num_states=None):
    states = backbone.states_model(num_states).predict_on_batch(inputs)
    return [states[str(number)] for number in range(len(states))]


def test_a_block_that_stands_there_thrice_runs_thrice(random_batch):
    backbone = shared_backbone()
    inputs = encoder_part(random_batch(0))
    expected = states_by_hand(backbone, inputs)
    states = predict_states(backbone, inputs)
    assert len(states) == 4
    for ours, theirs in zip(states, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert np.abs(states[3] - states[1]).max() > 0.1


def test_a_shared_block_has_its_weights_once():
    backbone = shared_backbone()
    assert len(backbone.states_model().weights) == 5 + 12
    assert len(backbone.encoder("encoder").weights) == 5 + 12


@pytest.mark.parametrize("num_states", [1, 2, 4])
def test_the_last_states_come_without_the_others(random_batch, num_states):
    backbone = shared_backbone()
    inputs = encoder_part(random_batch(0))
    states = predict_states(backbone, inputs, num_states)
    expected = states_by_hand(backbone, inputs)[-num_states:]
    for ours, theirs in zip(states, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_heads_on_a_shared_block_see_its_last_run(random_batch):
    backbone = shared_backbone(pooler=keras.layers.Dense(8, name="pooler"))
    heads = {
        "masked_lm_head": MaskedLMHead(backbone.embeddings, name="mlm"),
        "nsp_head": NSPHead(name="nsp"),
    }
    inputs = random_batch(0)[0]
    positions = inputs["masked_lm_positions"]
    outputs = add_heads(backbone, heads, "model").predict_on_batch(inputs)
    last = states_by_hand(backbone, inputs)[-1]
    rows = np.take_along_axis(last, positions[:, :, None], 1)
    np.testing.assert_allclose(
        outputs["mlm_logits"], heads["masked_lm_head"](rows), atol=1e-5
    )
    np.testing.assert_allclose(
        outputs["nsp_logits"],
        heads["nsp_head"](backbone.pooler(last[:, 0])),
        atol=1e-5,
    )


def test_the_final_norm_is_of_the_last_states_only(random_batch):
    backbone = shared_backbone(final_norm=LayerNorm(name="final_norm"))
    backbone.final_norm.gamma.assign(np.full(8, 3.0))
    inputs = encoder_part(random_batch(0))
    expected = states_by_hand(backbone, inputs)
    expected[-1] = backbone.final_norm(expected[-1])
    states = predict_states(backbone, inputs)
    for ours, theirs in zip(states, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-5)
    outputs = backbone.encoder("encoder").predict_on_batch(inputs)
    np.testing.assert_array_equal(outputs["sequence_output"], states[-1])


def test_embeddings_get_the_inputs_that_there_are(random_batch):
    inputs = encoder_inputs((features.INPUT_IDS, features.INPUT_MASK))
    backbone = Backbone(
        TokenEmbeddings(30, 8, 16), [make_block("block")], inputs=inputs
    )
    assert [*backbone.encoder("encoder").input] == ["input_ids", "input_mask"]


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
