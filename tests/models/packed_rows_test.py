"""Rows with several texts give the same outputs as padded rows."""

import warnings

import keras
import numpy as np
import pytest

from keras_bert.checkpoints.weight_table import model_types
from keras_bert.export.packed_model import packed_model
from keras_bert.layers import SelfAttention
from keras_bert.layers import TaskHead
from keras_bert.layers import TextPositions
from keras_bert.layers import Window
from keras_bert.models import add_heads
from keras_bert.models import add_task_head
from keras_bert.models.family import family_of
from tests import tiny
from tests.processes import run_python

# The texts of GPT are separate rows; BigBird's blocks of keys would mix texts.
_UNPACKED = "openai-gpt", "big_bird"
_CONFIGS = {
    name: tiny.config(name, P=12)
    for name in model_types()
    if name not in _UNPACKED
}
_DECODER = {"P": 12, "enhanced_mask_decoder": True}
_CONFIGS["decoder"] = tiny.config("deberta", **_DECODER)
_FAMILIES = pytest.mark.parametrize("name", _CONFIGS)
_PRETRAINED = [name for name in _CONFIGS if name != "static-embeddings"]
# Grouped by packed row; the second row is full.
_LENGTHS = (7, 3, 5), (10, 8)
_ROW = 18
_PREDICTIONS = 2  # Of each text.


def make_backbone(name):
    """Return a backbone and its packed version with the same large weights."""
    family = family_of(_CONFIGS[name].model_type)
    backbone = family.backbone(_CONFIGS[name])
    heads = family.heads(_CONFIGS[name], backbone.embeddings)
    heads.pop("replaced_token_head", None)  # For rows with one text only.
    random = np.random.default_rng(0)
    model = (
        add_heads(backbone, heads, "pretrainer")
        if heads
        else backbone.encoder("encoder")
    )
    for weight in model.weights:
        if "seed" not in weight.path:
            weight.assign(random.normal(0.0, 0.3, weight.shape))
    return backbone, backbone.packed(), heads


def make_texts(name):
    """Return padded rows and the same texts packed, as inputs of all models."""
    pad_id = getattr(_CONFIGS[name], "pad_token_id", 0) % 30
    random = np.random.default_rng(1)
    lengths = np.array([x for row in _LENGTHS for x in row])
    is_token = np.arange(10) < lengths[:, None]
    ids = np.where(is_token, random.integers(2, 30, is_token.shape), pad_id)
    # A padding id inside a text is not masked.
    ids[0, 2] = pad_id
    segments = np.where(is_token, np.arange(10) >= lengths[:, None] // 2, 0)
    positions = np.stack([lengths - 2, lengths - 1], axis=1)
    padded = {
        "input_ids": ids,
        "input_mask": is_token,
        "segment_ids": segments,
        "masked_lm_positions": positions,
    }
    packed = {
        "input_ids": np.full((2, _ROW), pad_id),
        "input_mask": np.zeros((2, _ROW)),
        "segment_ids": np.zeros((2, _ROW)),
        "text_numbers": np.zeros((2, _ROW)),
        "text_starts": np.zeros((2, 3)),
        "masked_lm_positions": np.zeros((2, 3 * _PREDICTIONS)),
    }
    for text, (row, number, place) in enumerate(places()):
        stop = place + lengths[text]
        for key in ("input_ids", "input_mask", "segment_ids"):
            packed[key][row, place:stop] = padded[key][text, : lengths[text]]
        packed["text_numbers"][row, place:stop] = number + 1
        packed["text_starts"][row, number] = place
        asked = slice(_PREDICTIONS * number, _PREDICTIONS * (number + 1))
        packed["masked_lm_positions"][row, asked] = place + positions[text]
    return [
        {key: x.astype("int32") for key, x in inputs.items()}
        for inputs in (padded, packed)
    ]


def places():
    """Return the row of each text, its index in the row and its slice."""
    return [
        (row, number, sum(lengths[:number]))
        for row, lengths in enumerate(_LENGTHS)
        for number in range(len(lengths))
    ]


def texts_of(values):
    """Return the slices of packed rows with the texts, in order."""
    lengths = [x for row in _LENGTHS for x in row]
    return [
        values[row, place : place + length]
        for length, (row, _, place) in zip(lengths, places(), strict=True)
    ]


def states_of(model, inputs):
    states = model(tiny.inputs_of(model, inputs))["sequence_output"]
    return keras.ops.convert_to_numpy(keras.ops.cast(states, "float32"))


def check_states(name, atol=1e-5):
    backbone, packed_backbone, _ = make_backbone(name)
    padded, packed = make_texts(name)
    expected = states_of(backbone.encoder("encoder"), padded)
    found = states_of(packed_backbone.encoder("packed"), packed)
    for states, alone in zip(texts_of(found), expected, strict=True):
        np.testing.assert_allclose(
            states, alone[: len(states)], rtol=atol, atol=atol
        )


@pytest.mark.smoke("roberta", "modernbert")
@_FAMILIES
@pytest.mark.parametrize(
    # Products of other shapes round differently.
    "policy, atol",
    [("float32", 1e-5), ("mixed_bfloat16", 0.1)],
)
def test_tokens_have_the_states_that_they_have_alone(name, policy, atol):
    keras.config.set_dtype_policy(policy)
    check_states(name, atol)


@pytest.mark.smoke("roberta", "modernbert", "xlnet", "decoder")
@pytest.mark.parametrize("name", _PRETRAINED)
def test_losses_and_gradients_are_those_of_padded_rows(name):
    check_training(name)


def check_training(name):
    backbone, packed_backbone, heads = make_backbone(name)
    inputs = make_texts(name)
    results = []
    for form, own in zip((backbone, packed_backbone), inputs, strict=True):
        model = add_heads(form, heads, "pretrainer")
        is_packed = form is packed_backbone
        assert ("text_starts" in model.input) == (is_packed and len(heads) > 1)
        own = tiny.inputs_of(model, own)
        results.append(train_step(model, own, make_labels(is_packed)))
    (expected, of_padded), (found, of_packed) = results
    assert found == pytest.approx(expected, rel=1e-5)
    assert of_padded.keys() == of_packed.keys()
    for path, gradient in of_padded.items():
        scale = np.abs(gradient).max()
        np.testing.assert_allclose(
            of_packed[path], gradient, atol=1e-5 * max(scale, 1), err_msg=path
        )


def train_step(model, inputs, labels):
    """Return the loss, and the changes of weights by a step of the rate 1."""
    of_outputs = {x: labels[x.partition("_")[0]] for x in model.output}
    loss = keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, reduction="mean_with_sample_weight"
    )
    model.compile(
        keras.optimizers.SGD(1.0),
        dict.fromkeys(of_outputs, loss),
        run_eagerly=keras.backend.backend() == "tensorflow",
    )
    targets, weights = (
        {name: pair[i] for name, pair in of_outputs.items()} for i in (0, 1)
    )
    before = model.get_weights()
    with warnings.catch_warnings():
        # Longformer has projections that only global tokens use.
        warnings.filterwarnings("ignore", "Gradients do not exist")
        found = model.train_on_batch(inputs, targets, weights)
    after = model.get_weights()
    model.set_weights(before)
    changes = zip(model.weights, before, after, strict=True)
    return np.ravel(found)[0], {w.path: x - y for w, x, y in changes}


def make_labels(is_packed):
    """Return labels and weights by the prefix of the output names."""
    of_tokens = np.arange(10).reshape(5, _PREDICTIONS) + 3
    of_texts = np.arange(5) % 2
    if not is_packed:
        found = {
            "mlm": (of_tokens, np.ones_like(of_tokens)),
            "nsp": (of_texts, np.ones_like(of_texts)),
        }
        return {**found, "sop": found["nsp"]}
    rows = np.full((2, 3, 1 + _PREDICTIONS), -1)
    for text, (row, number, _) in enumerate(places()):
        rows[row, number] = [of_texts[text], *of_tokens[text]]
    mlm, nsp = rows[:, :, 1:].reshape(2, -1), rows[:, :, 0]
    found = {
        name: (np.maximum(x, 0), x >= 0)
        for name, x in (("mlm", mlm), ("nsp", nsp))
    }
    return {**found, "sop": found["nsp"]}


@pytest.mark.parametrize(
    "reads",
    ["pooled_output", "first_token", "last_token", "mean", "sequence_output"],
)
def test_heads_read_each_text(reads):
    *forms, _ = make_backbone("bert")
    head = TaskHead(3, dropout=0.0, kernel_initializer="normal")
    models = [add_task_head(form, head, reads, "classifier") for form in forms]
    expected, found = (
        np.asarray(model(tiny.inputs_of(model, inputs))["logits"])
        for model, inputs in zip(models, make_texts("bert"), strict=True)
    )
    if reads == "sequence_output":
        found = texts_of(found)
    else:
        found = [found[row, number] for row, number, _ in places()]
    for logits, alone in zip(found, expected, strict=True):
        alone = alone[: len(logits)]
        np.testing.assert_allclose(logits, alone, atol=1e-5)


@pytest.mark.smoke("roberta", "modernbert")
@_FAMILIES
def test_a_graph_of_padded_rows_knows_nothing_of_it(name):
    import tensorflow as tf

    backbone, _, _ = make_backbone(name)
    model = backbone.encoder("encoder")
    inputs, _ = make_texts(name)
    graph = (
        tf.function(model)
        .get_concrete_function(tiny.inputs_of(model, inputs))
        .graph
    )
    kinds = {operation.type for operation in graph.get_operations()}
    assert not kinds & {"LowerBound", "Equal"}


def test_rows_of_a_fixed_size_are_compiled():
    import tensorflow as tf

    _, backbone, _ = make_backbone("modernbert")
    model = backbone.encoder("packed")
    _, inputs = make_texts("bert")
    own = tiny.inputs_of(model, inputs)
    compiled = tf.function(
        lambda x: model(x)["sequence_output"], jit_compile=True
    )
    np.testing.assert_allclose(
        compiled(keras.tree.map_structure(tf.constant, own)),
        states_of(model, inputs),
        atol=1e-5,
    )


def test_the_attention_of_a_text_is_its_own():
    backbone, packed_backbone, _ = make_backbone("bert")
    padded, packed = make_texts("bert")
    expected = backbone.attention_weights(
        tiny.inputs_of(backbone.encoder("a"), padded)
    )
    found = packed_backbone.attention_weights(
        tiny.inputs_of(packed_backbone.encoder("b"), packed)
    )
    for alone, weights in zip(expected, found, strict=True):
        own = np.asarray(weights)[0, :, 7:10, :15]
        np.testing.assert_allclose(
            own[..., 7:10], np.asarray(alone)[1, :, :3, :3], atol=1e-5
        )
        assert own[..., :7].max() == own[..., 10:].max() == 0


def test_a_packed_model_leaves_such_blocks_as_they_are():
    _, backbone, _ = make_backbone("bert")
    model = backbone.encoder("packed")
    inputs = tiny.inputs_of(model, make_texts("bert")[1])
    found = states_of(packed_model(model), inputs)
    np.testing.assert_array_equal(found, states_of(model, inputs))


def test_windows_go_by_the_positions_that_they_get():
    attention = SelfAttention(8, 2, pattern=Window(1))
    states = np.random.default_rng(0).normal(size=(1, 4, 8)).astype("float32")
    context = {"positions": np.array([[0, 5, 1, 6]], "int32")}
    weights = attention.attention_weights(states, context=context)
    seen = np.asarray(weights)[0, 0] > 1e-6
    np.testing.assert_array_equal(seen, np.tile(np.eye(2, dtype=bool), (2, 2)))


def test_a_keras_file_holds_a_model_of_packed_rows(tmp_path):
    _, backbone, _ = make_backbone("roberta")
    model = backbone.encoder("packed")
    inputs = tiny.inputs_of(model, make_texts("roberta")[1])
    tiny.check_keras_file(model, inputs, tmp_path)


def test_positions_begin_anew():
    numbers = np.array([[1, 1, 1, 2, 2, 0, 0], [1, 2, 2, 3, 3, 3, 4]], "int32")
    expected = [[0, 1, 2, 0, 1, 0, 0], [0, 0, 1, 0, 1, 2, 0]]
    np.testing.assert_array_equal(TextPositions()(numbers), expected)


@pytest.mark.exhaustive
@pytest.mark.large
@pytest.mark.parametrize(
    "backend", ["jax", pytest.param("torch", marks=pytest.mark.parity)]
)
def test_on_other_backends_too(backend):
    program = (
        "from tests.models import packed_rows_test as test\n"
        f"assert test.keras.backend.backend() == {backend!r}\n"
        "for name in test._CONFIGS:\n"
        "    test.check_states(name)\n"
        "for name in test._PRETRAINED:\n"
        "    test.check_training(name)\n"
    )
    environment = {"KERAS_BACKEND": backend, "JAX_PLATFORMS": "cpu"}
    run_python("-c", program, **environment)
