import contextlib
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints import CheckpointError
from keras_bert.checkpoints import PretrainedModel
from keras_bert.checkpoints.arrays.safetensors_file import write_safetensors
from keras_bert.checkpoints.loading import load as numbers_of
from keras_bert.checkpoints.loading import plan_loading
from keras_bert.checkpoints.source import RenamedArrays
from keras_bert.checkpoints.source import Source
from keras_bert.checkpoints.weight_map import published_places
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.settings import WordpieceSettings
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS


class Arrays:
    """Named arrays in memory, which say what has been read of them."""

    def __init__(self, arrays):
        self._arrays = arrays
        self.shapes = {name: array.shape for name, array in arrays.items()}
        self.was_read = []

    def read(self, name):
        self.was_read.append(name)
        return self._arrays[name]


@pytest.fixture
def arrays(tiny_config):
    random = np.random.default_rng(0)
    return {
        place.name: random.normal(size=place.shape).astype(np.float32)
        for place in published_places(tiny_config, "hugging_face")
    }


@pytest.fixture
def plan(tiny_config, arrays):
    def make(allow_missing=(), config=tiny_config, ignored=frozenset()):
        source = Source(
            name="some file",
            config=config,
            tokenizer=None,
            arrays=Arrays(arrays),
            places=lambda config, head: published_places(
                config, "hugging_face", head
            ),
            ignored=ignored,
        )
        return plan_loading(source, allow_missing)

    return make


def without(arrays, start):
    for name in [name for name in arrays if name.startswith(start)]:
        del arrays[name]


def test_all_arrays_find_their_place(plan, arrays):
    assert {place.name for place in plan().places} == {*arrays}
    assert plan().parts == {"pooler", "masked_lm_head", "nsp_head"}
    assert plan().fresh == frozenset()


def test_a_missing_array_is_an_error_with_a_report(plan, arrays):
    del arrays["bert.embeddings.LayerNorm.bias"]
    with pytest.raises(
        CheckpointError,
        match="^some file does not fit its config. Loaded: 45. Missing: 1, "
        "bert.embeddings.LayerNorm.bias.$",
    ) as info:
        plan()
    assert info.value.report.missing == ("bert.embeddings.LayerNorm.bias",)
    assert len(info.value.report.loaded) == len(arrays)


@pytest.mark.parametrize(
    "name, allowed, message",
    [
        ("cls.seq_relationship.bias", [], "Missing: 1, cls.seq_relation"),
        (
            "bert.embeddings.token_type_embeddings.weight",
            [],
            "token_type_embeddings",
        ),
        # Two thirds of a matrix.
        (
            "bert.encoder.layer.0.attention.self.key.weight",
            ["block_0/self_attention/query_key_value/kernel"],
            "Missing: 1, .*self.key.weight",
        ),
    ],
)
def test_a_part_of_a_layer_may_not_be_missing(
    name, allowed, message, plan, arrays
):
    del arrays[name]
    with pytest.raises(CheckpointError, match=message):
        plan(allowed)


def test_an_unexpected_array_is_an_error(plan, arrays):
    arrays["bert.encoder.layer.2.output.dense.bias"] = np.zeros(8)
    message = "Unexpected: 1, bert.encoder.layer.2"
    with pytest.raises(CheckpointError, match=message):
        plan()


def test_an_ignored_array_is_no_error(plan, arrays):
    arrays["global_step"] = np.zeros(())
    assert "global_step" not in {
        place.name for place in plan(ignored=frozenset({"global_step"})).places
    }


def test_another_shape_is_an_error_with_both(plan, arrays):
    name = "bert.encoder.layer.1.intermediate.dense.weight"
    arrays[name] = arrays[name].T
    with pytest.raises(
        CheckpointError,
        match=r"Of another shape: 1, .*expected \(16, 8\), found \(8, 16\)",
    ) as info:
        plan()
    assert info.value.report.misshaped == {name: ((16, 8), (8, 16))}


def test_a_long_report_is_cut(plan, arrays):
    without(arrays, "bert.encoder.layer.0.")
    with pytest.raises(CheckpointError, match="Missing: 16, .* and 12 more"):
        plan()


@pytest.mark.parametrize(
    "start, part",
    [
        ("bert.pooler.", "pooler"),
        ("cls.predictions.", "masked_lm_head"),
        ("cls.seq_relationship.", "nsp_head"),
    ],
)
def test_a_part_that_is_missing_as_a_whole_is_left_out(
    start, part, plan, arrays
):
    without(arrays, start)
    assert plan().parts == {"pooler", "masked_lm_head", "nsp_head"} - {part}
    assert plan().fresh == frozenset()


def test_a_named_part_may_be_missing_and_is_fresh(plan, arrays):
    without(arrays, "cls.seq_relationship.")
    planned = plan(["nsp_head"])
    assert "nsp_head" in planned.parts
    assert planned.fresh == {
        "nsp_head/classifier/kernel",
        "nsp_head/classifier/bias",
    }


def test_a_named_weight_may_be_missing(plan, arrays):
    name = "embeddings/segment_embeddings"
    del arrays["bert.embeddings.token_type_embeddings.weight"]
    assert plan([name]).fresh == {name}


def test_a_name_that_is_no_part_is_an_error(plan):
    with pytest.raises(ValueError, match="Received: nsp\\.$"):
        plan(["nsp"])


@pytest.fixture
def load(plan, arrays, tiny_config):
    """A function that builds a BERT with the arrays; what was read of them."""

    words = [f"word{index}" for index in range(tiny_config.vocab_size - 5)]
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *words])

    def build(allow_missing=(), scope=""):
        source = Source(
            "some file", tiny_config, None, Arrays(arrays), published_places
        )
        with tf.name_scope(scope) if scope else contextlib.nullcontext():
            bert = numbers_of(
                lambda: PretrainedModel.from_config(
                    tiny_config, WordpieceSettings(vocabulary)
                ),
                plan(allow_missing),
                source,
            )
        weights = {weight.path: weight.numpy() for weight in bert.model.weights}
        return weights, source.arrays.was_read

    return build


@pytest.mark.parametrize("scope", ["", "outer"])
def test_loading_puts_every_number_in_its_place(scope, load, arrays):
    weights, was_read = load(scope=scope)
    assert sorted(was_read) == sorted(arrays)
    block = "bert.encoder.layer.1."
    kernel = weights["block_1/self_attention/query_key_value/kernel"]
    for third, name in enumerate(("query", "key", "value")):
        np.testing.assert_array_equal(
            kernel[:, 8 * third : 8 * third + 8],
            arrays[f"{block}attention.self.{name}.weight"].T,
        )
    np.testing.assert_array_equal(
        weights["block_1/feed_forward/intermediate/kernel"],
        arrays[f"{block}intermediate.dense.weight"].T,
    )
    np.testing.assert_array_equal(
        weights["embeddings/word_embeddings"],
        arrays["bert.embeddings.word_embeddings.weight"],
    )


def test_what_stays_random_is_said(load, arrays, caplog):
    without(arrays, "cls.seq_relationship.")
    weights, _ = load(["nsp_head"])
    kernel = weights["nsp_head/classifier/kernel"]
    assert 0 < np.abs(kernel).max() < 0.05
    np.testing.assert_array_equal(weights["nsp_head/classifier/bias"], 0.0)
    assert "nsp_head/classifier/kernel is random" in caplog.text


def test_a_strategy_gets_the_same_numbers(load, arrays):
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        weights, _ = load()
    np.testing.assert_array_equal(
        weights["embeddings/word_embeddings"],
        arrays["bert.embeddings.word_embeddings.weight"],
    )


def test_a_variable_that_is_not_made_is_an_error(plan, arrays, tiny_config):
    source = Source("f", tiny_config, None, Arrays(arrays), published_places)
    with pytest.raises(RuntimeError, match="not made: embeddings/word_"):
        numbers_of(lambda: None, plan(), source)


def test_two_arrays_of_one_name_are_an_error():
    arrays = Arrays({"a": np.zeros(2), "module.a": np.zeros(2)})
    with pytest.raises(CheckpointError, match="f holds a twice"):
        RenamedArrays(arrays, lambda name: name.removeprefix("module."), "f")


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="Reads /proc.")
def test_a_table_that_is_read_is_in_memory_twice_at_most(tmp_path):
    """Beside a variable there is the file, mapped, but no copy of it."""
    numbers = np.zeros((2**17, 512), np.float32)  # 256 MiB.
    write_safetensors(
        tmp_path / "file", [("table", numbers.shape, lambda: numbers)]
    )
    program = """
import sys
import tensorflow as tf
from keras_bert.checkpoints import loading
from keras_bert.checkpoints.arrays.safetensors_file import SafetensorsFile
from keras_bert.checkpoints.weight_map import Place
shape = 2**17, 512
place, file = Place("table", None, "table", shape), SafetensorsFile(sys.argv[1])
def peak():
    with open("/proc/self/status") as status:
        (line,) = (x for x in status if x.startswith("VmHWM"))
    return int(line.split()[1]) // 1024
tf.Variable(1.0)
before = peak()
numbers = loading._Lent(loading._read([place], file, shape))
table = tf.Variable(tf.constant(numbers))
print(peak() - before)
"""
    result = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "file"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(result.stdout) < 256 * 2.2
