"""The two streams of XLNet."""

import numpy as np
import pytest

from keras_bert import from_pretrained
from keras_bert import models
from keras_bert.models.families.xlnet.config import XLNetConfig
from tests import tiny
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


def test_no_prediction_sees_a_token_of_its_own_or_a_higher_rank():
    config = tiny.config("xlnet", V=30)
    backbone = models.family.family_of("xlnet").backbone(config).permuted()
    heads = models.family.family_of("xlnet").heads(config, backbone.embeddings)
    model = tiny.widened(models.add_heads(backbone, heads, "model"))
    ids = np.arange(3, 11)[np.newaxis]
    inputs = {
        "input_ids": ids,
        "input_mask": np.ones_like(ids),
        "segment_ids": np.zeros_like(ids),
        "permutation_ranks": np.array([[0, 3, 0, 1, 0, 2, 0, 0]]),
        "masked_lm_positions": np.array([[3, 5, 1]]),
    }
    before = np.asarray(model(inputs)["mlm_logits"])[0]
    # A token of rank n changes the predictions of higher ranks only.
    for place, unchanged in ((3, 1), (5, 2), (1, 3), (0, 0)):
        changed = ids.copy()
        changed[0, place] = 20
        after = np.asarray(
            model({**inputs, "input_ids": changed})["mlm_logits"]
        )
        differs = np.abs(after[0] - before).max(axis=1) > 1e-3
        assert differs.tolist() == [n >= unchanged for n in range(3)]


def test_an_odd_width_is_an_error():
    with pytest.raises(ValueError, match="`d_model` must be even.*d_model=9"):
        XLNetConfig(30, d_model=9, n_head=3)
