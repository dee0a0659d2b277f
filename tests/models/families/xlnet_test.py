"""The two streams of XLNet."""

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import models
from keras_bert.models.families.xlnet.config import XLNetConfig
from tests.families.golden import Golden
from tests.families.golden import assert_close


@pytest.fixture(scope="module")
def golden(make_settings_of):
    return Golden("xlnet", make_settings_of)


@pytest.fixture(scope="module")
def model(golden, tmp_path_factory):
    return from_pretrained(golden.write(tmp_path_factory.mktemp("hf") / "x"))


def _permuted(model):
    backbone = model.backbone.permuted()
    heads = {"masked_lm_head": model.heads["masked_lm_head"]}
    return models.add_heads(backbone, heads, "permuted")


def test_permuted_predictions_are_those_of_transformers(model, golden):
    inputs = {**golden.inputs, "masked_lm_positions": golden.positions}
    inputs["permutation_ranks"] = golden.outputs["ranks"]
    logits = _permuted(model)(inputs)["mlm_logits"]
    assert_close(logits, golden.outputs["permuted"], 1e-4)
    other = golden.outputs["logits"]
    assert np.abs(np.asarray(logits) - other).max() > 0.1


def test_states_without_segments_are_those_of_transformers(model, golden):
    segments = np.full_like(golden.inputs["input_ids"], 2)
    states = model.encoder({**golden.inputs, "segment_ids": segments})
    ours = np.asarray(states["sequence_output"])[golden.real]
    assert_close(ours, golden.outputs["untyped"][golden.real], 1e-5)


def test_an_odd_width_is_an_error():
    with pytest.raises(ValueError, match="`d_model` must be even.*d_model=9"):
        XLNetConfig(30, d_model=9, n_head=3)
