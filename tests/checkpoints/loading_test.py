import contextlib

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints import loading
from keras_bert.checkpoints.loading import load
from keras_bert.checkpoints.loading import plan_loading
from keras_bert.checkpoints.source import OpenedCheckpoint
from keras_bert.checkpoints.source import rename_arrays
from keras_bert.checkpoints.weight_map import published_locations
from tests import tiny


class Arrays:
    """Named arrays in memory."""

    def __init__(self, arrays):
        self._arrays = arrays
        self.shapes = {name: array.shape for name, array in arrays.items()}

    def read(self, name):
        return self._arrays[name]


_CONFIG = tiny.config("bert", V=40)
_HEADS = {"masked_lm_head", "nsp_head"}
_NSP = "cls.seq_relationship."
_SEGMENTS = "bert.embeddings.token_type_embeddings.weight"
_WIDE = "bert.encoder.layer.1.intermediate.dense.weight"


@pytest.fixture
def arrays():
    random = np.random.default_rng(0)
    return {
        place.name: random.normal(size=place.shape).astype(np.float32)
        for place in published_locations(_CONFIG, "hugging_face")
    }


@pytest.fixture
def source(make_settings, arrays):
    """Return a function that opens the current `arrays`."""

    def source():
        return OpenedCheckpoint(
            name="some file",
            config=_CONFIG,
            tokenizer=make_settings("wordpiece"),
            arrays=Arrays(arrays),
            locations=lambda config, head: published_locations(
                config, "hugging_face", head
            ),
            ignored=frozenset({"global_step"}),
        )

    return source


def remove(arrays, start):
    for name in [name for name in arrays if name.startswith(start)]:
        del arrays[name]


@pytest.mark.parametrize(
    "start, allowed, message",
    [
        (
            f"{_NSP}bias",
            [],
            "^some file does not match its config. Loaded: 45. Missing: 1, "
            "cls.seq_relationship.bias.$",
        ),
        # Two thirds of a matrix.
        (
            "bert.encoder.layer.0.attention.self.key.weight",
            ["block_0/self_attention/query_key_value/kernel"],
            "Missing: 1, .*self.key.weight",
        ),
        ("bert.encoder.layer.0.", [], "Missing: 16, .* and 12 more"),
    ],
)
def test_a_part_of_a_layer_may_not_be_missing(
    start, allowed, message, source, arrays
):
    remove(arrays, start)
    with pytest.raises(CheckpointError, match=message):
        plan_loading(source(), allowed)


@pytest.mark.parametrize(
    "name, shape, message",
    [
        ("bert.encoder.layer.2.output.dense.bias", (8,), "Unexpected: 1, bert"),
        (
            _WIDE,
            (8, 16),
            r"shape: 1, .*expected \(16, 8\), found \(8, 16\)\)\. "
            "The vocabulary has 40 tokens",
        ),
    ],
)
def test_other_arrays_are_an_error(name, shape, message, source, arrays):
    arrays["global_step"] = np.zeros(())
    arrays[name] = np.zeros(shape)
    with pytest.raises(CheckpointError, match=message):
        plan_loading(source())


@pytest.mark.parametrize(
    "start, allowed, parts, fresh",
    [
        (_NSP, [], {"pooler", "masked_lm_head"}, set()),
        (
            _NSP,
            ["nsp_head"],
            {"pooler", *_HEADS},
            {"nsp_head/classifier/kernel", "nsp_head/classifier/bias"},
        ),
        (
            _SEGMENTS,
            ["embeddings/segment_embeddings"],
            {"pooler", *_HEADS},
            {"embeddings/segment_embeddings"},
        ),
    ],
)
def test_a_part_or_a_named_weight_may_be_missing(
    start, allowed, parts, fresh, source, arrays
):
    remove(arrays, start)
    plan = plan_loading(source(), allowed)
    assert plan.parts == parts
    assert plan.fresh == fresh


def test_a_name_that_is_no_part_is_an_error(source):
    with pytest.raises(ValueError, match="Received: nsp\\.$"):
        plan_loading(source(), ["nsp"])


@pytest.mark.parametrize(
    "scope",
    [
        contextlib.nullcontext,
        lambda: tf.name_scope("outer"),
        lambda: tf.distribute.MirroredStrategy(["CPU:0"]).scope(),
    ],
)
def test_numbers_are_placed_and_what_stays_random_is_said(
    scope, source, arrays, caplog
):
    remove(arrays, _NSP)
    opened = source()
    with scope():
        model = load(
            lambda: PretrainedModel.from_config(
                opened.config, opened.tokenizer
            ),
            plan_loading(opened, ["nsp_head"]),
            opened,
        )
    weights = {path: np.asarray(x) for path, x in model.weights.items()}
    np.testing.assert_array_equal(
        weights["block_1/feed_forward/intermediate/kernel"], arrays[_WIDE].T
    )
    assert 0 < np.abs(weights["nsp_head/classifier/kernel"]).max() < 0.05
    assert "nsp_head/classifier/kernel is initialized randomly" in caplog.text


def test_two_arrays_of_one_name_are_an_error():
    arrays = Arrays({"a": np.zeros(2), "module.a": np.zeros(2)})
    with pytest.raises(CheckpointError, match="f contains a twice"):
        rename_arrays(arrays, lambda name: name.removeprefix("module."), "f")


def test_a_tensor_shares_the_memory_of_an_array_that_is_read():
    """Check that only the mapped file exists next to a variable, no copy."""
    values = loading._empty((300, 400))
    values[:] = 1
    tensor = tf.constant(loading._SharedArray(values))
    values[:] = 2
    np.testing.assert_array_equal(tensor, values)
