import functools

import keras
import numpy as np
import pytest

import keras_bert
from keras_bert import from_pretrained
from keras_bert.layers import GlobalTokens
from keras_bert.models.families.longformer.config import LongformerConfig
from keras_bert.models.families.longformer.model import FAMILY
from keras_bert.models.families.roberta.model import roberta_backbone
from tests import tiny
from tests.families.golden import Golden
from tests.families.golden import assert_close
from tests.families.golden import long_row

_WINDOW = 8
_LENGTHS = [_WINDOW - 1, _WINDOW, _WINDOW + 1, 2 * _WINDOW + 3]


@pytest.fixture(scope="module")
def golden(make_settings_of):
    return Golden("longformer", make_settings_of)


@pytest.fixture(scope="module")
def model(golden, tmp_path_factory):
    path = tmp_path_factory.mktemp("hf") / "model"
    return from_pretrained(golden.write(path))


@pytest.mark.parametrize("length", _LENGTHS)
@pytest.mark.parametrize("number", [0, 1, 3])
def test_global_tokens_are_those_of_transformers(length, number, golden, model):
    inputs = long_row(length, 4)
    is_global = np.zeros_like(inputs["input_ids"])
    is_global[:, [0, length - 1, 3][:number]] = 1
    chosen = GlobalTokens(4)(is_global, inputs["input_mask"])
    backbone = model.backbone.with_context(lambda _: {"global_tokens": chosen})
    states = backbone.states_model(1)(inputs)
    expected = golden.outputs[f"global/{length}/{number}"]
    assert_close(np.asarray(states["0"])[0], expected, 1e-5)


def test_global_tokens_may_be_an_input(golden, model):
    inputs = {
        **model.backbone.inputs,
        "global_mask": keras.Input((None,), dtype="int32", name="global_mask"),
    }
    layer = GlobalTokens(2)
    backbone = roberta_backbone(
        model.config,
        inputs=inputs,
        context=lambda x: {
            "global_tokens": layer(x["global_mask"], x["input_mask"])
        },
    )
    encoder = backbone.encoder("encoder")
    encoder.set_weights(model.encoder.get_weights())
    rows = {**golden.inputs, "global_mask": 0 * golden.inputs["input_ids"]}
    found = encoder(rows)["sequence_output"]
    expected = model.encoder(golden.inputs)["sequence_output"]
    real = golden.real
    assert_close(np.asarray(found)[real], np.asarray(expected)[real], 1e-5)
    rows["global_mask"][:, 0] = 1
    moved = np.asarray(encoder(rows)["sequence_output"])
    assert np.abs(moved - found)[real].max() > 0.1


_ROW = [0, 5, 6, 2, 2, 7, 8, 9, 2, 1, 1]
_MASK = [1] * 9 + [0] * 2


@pytest.mark.parametrize(
    "part, expected",
    [
        ("classifier", [0]),
        ("span_classifier", [0, 1, 2]),
        ("choice_scorer", [5, 6, 7, 8]),
    ],
)
def test_tasks_choose_the_global_tokens_as_published(part, expected):
    config = tiny.config("longformer")
    context = FAMILY.task_heads[part].context(config)
    rows = {"input_ids": [_ROW], "input_mask": [_MASK]}
    rows = {k: keras.ops.array(x, "int32") for k, x in rows.items()}
    chosen = np.asarray(context(rows)["global_tokens"])[0]
    assert chosen.argmax(axis=1)[chosen.any(axis=1)].tolist() == expected
    assert FAMILY.task_heads["token_classifier"].context is None


def test_a_text_without_separators_has_as_many_as_there_is_room_for():
    context = FAMILY.task_heads["span_classifier"].context
    rows = {"input_ids": np.full((1, 300), 5), "input_mask": np.ones((1, 300))}
    rows = {k: keras.ops.array(x, "int32") for k, x in rows.items()}
    chosen = context(tiny.config("longformer"))(rows)["global_tokens"]
    assert np.asarray(chosen).any(axis=1)[0].sum() == 128


def test_windows_of_blocks_may_differ():
    make = functools.partial(LongformerConfig, 30, num_hidden_layers=3)
    config = make(attention_window=[4, 8, 6])
    assert config == make(attention_window=(4, 8, 6))
    assert config.windows == (4, 8, 6)
    assert make(attention_window=[8] * 3) == make(attention_window=8)
    assert make(attention_window=8).windows == (8, 8, 8)
    windows = {"num_hidden_layers": 3, "attention_window": [4, 8, 6]}
    model = tiny.pretrained(
        tiny.config("longformer", pad_token_id=0, **windows)
    )
    assert model.smaller(2).config.windows == (4, 6)


def test_a_task_without_global_tokens_learns_without_a_warning(model):
    tagger = keras_bert.TokenClassifier(model, labels=["O", "B-X", "I-X"])
    before = {w.path: w.numpy() for w in tagger.model.weights}
    rows = [["word1", "word2"], ["word3"]], [["O", "B-X"], ["O"]]
    tagger.fit(*rows, epochs=1, batch_size=2, warmup=0.0, verbose=0)
    for weight in tagger.model.trainable_weights:
        is_still = np.array_equal(before[weight.path], weight)
        assert is_still == ("/global_" in weight.path), weight.path
