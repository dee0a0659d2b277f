"""The trainable of SpanBERT predicts as its model does, in every family."""

import numpy as np
import pytest

from keras_bert.pretraining.objectives.span_boundaries import (
    span_boundary_models,
)
from tests import tiny

_CONFIGS = {
    "bert": tiny.config("bert"),
    "albert": tiny.config("albert"),
    "deberta": tiny.config("deberta-v2", enhanced_mask_decoder=True),
}


@pytest.mark.smoke("bert")
@pytest.mark.parametrize("name", _CONFIGS)
def test_tokens_are_predicted_as_by_the_saved_model(name):
    bert = tiny.pretrained(_CONFIGS[name], ["masked_lm_head"])
    bert = tiny.widened(bert)
    trainable = span_boundary_models(bert, None, None)
    random = np.random.default_rng(1)
    ids = random.integers(5, 25, (2, 9))
    inputs = {
        **dict.fromkeys(trainable.model.input, ids),
        "input_mask": np.ones_like(ids),
        "segment_ids": np.zeros_like(ids),
        "masked_lm_positions": random.integers(1, 8, (2, 3)),
        "span_boundaries": random.integers(0, 9, (2, 3, 2)),
        "span_positions": random.integers(0, 4, (2, 3)),
    }
    inputs = {x: inputs[x].astype("int32") for x in trainable.model.input}
    outputs = trainable.model(inputs)
    known = {x: inputs[x] for x in bert.pretrainer.input}
    logits = np.asarray(bert.pretrainer(known)["mlm_logits"])
    np.testing.assert_allclose(outputs["mlm_logits"], logits, atol=1e-5)
    # A token depends on the boundaries and the position, not on its own vector.
    moved = {**inputs, "masked_lm_positions": inputs["span_positions"] + 1}
    boundary_logits = np.asarray(outputs["sbo_logits"])
    np.testing.assert_array_equal(
        trainable.model(moved)["sbo_logits"], boundary_logits
    )
    for feature in ("span_boundaries", "span_positions"):
        changed = {**inputs, feature: (inputs[feature] + 1) % 9}
        others = np.asarray(trainable.model(changed)["sbo_logits"])
        assert np.abs(others - boundary_logits).max(axis=-1).min() > 1e-3
    table = bert.backbone.embeddings.word_embeddings
    assert sum(x is table for x in trainable.model.weights) == 1
