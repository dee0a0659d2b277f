"""Text generation with GPT-1 and a left-to-right BERT."""

import dataclasses

import numpy as np
import pytest
import tensorflow as tf

import keras_bert
from keras_bert.checkpoints import PretrainedModel
from keras_bert.config import BertConfig
from keras_bert.models.families.modernbert.model import ModernBertConfig
from keras_bert.models.families.modernbert.model import modernbert_backbone
from keras_bert.models.families.openai_gpt.config import OpenAIGPTConfig
from keras_bert.models.left_to_right import LeftToRight
from keras_bert.tasks.text_generator import Sampling
from tests.families.golden import Golden

_GPT = OpenAIGPTConfig(40, 24, 16, 2, 2, initializer_range=0.5)
_BERT = BertConfig(
    40, 16, 2, 2, 32, max_position_embeddings=24, is_decoder=True
)
_PROMPTS = ["word1 word2 word3", "word4", "word5 word6"]


@pytest.fixture(scope="module")
def make(make_settings):
    def make(config, kind="wordpiece"):
        model = PretrainedModel.from_config(config, make_settings(kind))
        random = np.random.default_rng(8)
        for weight in model.weights.values():
            gain = float(weight.path.endswith("gamma"))
            weight.assign(random.normal(gain, 0.4, weight.shape))
        return model

    return make


@pytest.fixture(scope="module", params=["gpt", "bert"])
def model(request, make):
    return make(_BERT) if request.param == "bert" else make(_GPT, "bpe")


def greedily(model, row, number):
    """Return the most probable tokens, each by a full pass without cache."""
    row = [*row]
    for _ in range(number):
        ids = np.array([row + [0] * (24 - len(row))], "int32")
        inputs = {x: np.zeros_like(ids) for x in model.backbone.inputs}
        mask = (np.arange(24) < len(row)).astype("int32")[None]
        inputs |= {"input_ids": ids, "input_mask": mask}
        last = np.array([[len(row) - 1]], "int32")
        logits = model.pretrainer({**inputs, "masked_lm_positions": last})
        row.append(int(np.argmax(logits["mlm_logits"][0, 0])))
    return row[-number:]


def rows_of(generator, prompts):
    inputs = generator.preprocess(prompts)
    lengths = inputs["input_mask"].numpy().sum(1)
    rows = inputs["input_ids"].numpy()
    return inputs, [row[:n] for row, n in zip(rows, lengths, strict=True)]


def test_tokens_are_those_of_a_model_that_keeps_nothing(model):
    generator = keras_bert.TextGenerator(model, max_new_tokens=9)
    inputs, rows = rows_of(generator, _PROMPTS)
    ids = generator.predict_ids(inputs)["generated_ids"].numpy()
    end = model.tokenizer.vocabulary.roles.get("sep")
    end = end and model.tokenizer.vocabulary.id_of(end)
    tokens = set()
    for row, ours in zip(rows, ids, strict=True):
        expected = greedily(model, row, 9)
        if end in expected:
            ours = ours[: expected.index(end)]
            expected = expected[: expected.index(end)]
        assert ours.tolist() == expected
        tokens |= {*expected}
    assert len(tokens) > 2


def test_greedy_tokens_are_those_of_transformers(make_settings_of, tmp_path):
    golden = Golden("openai_gpt", make_settings_of)
    expected = golden.outputs["generated"]
    generator = keras_bert.TextGenerator.from_pretrained(
        golden.write(tmp_path / "hf"), max_new_tokens=expected.shape[1]
    )
    ids = generator.predict_ids(golden.inputs)["generated_ids"]
    np.testing.assert_array_equal(ids, expected)
    assert len({*expected.ravel()}) > 4


def test_a_text_ends_where_the_model_ends_it(make):
    model = make(_BERT)
    generator = keras_bert.TextGenerator(model, max_new_tokens=6)
    bias = model.weights["masked_lm_head/output_bias"]
    values = bias.numpy()
    values[model.tokenizer.vocabulary.id_of("[SEP]")] += 1000.0
    bias.assign(values)
    assert generator.generate(_PROMPTS) == ["", "", ""]
    inputs, _ = rows_of(generator, _PROMPTS)
    assert not generator.predict_ids(inputs)["generated_ids"].numpy().any()


@pytest.mark.parametrize("kind", ["bpe", "byte_bpe", "wordpiece"])
def test_spelled_tokens_are_the_text_that_was_cut(kind, make_settings):
    tokenizer = make_settings(kind).make()
    (ids,) = tokenizer(["word1 word2 word3"]).to_list()
    spelled = tokenizer.vocabulary.spelled
    assert len(spelled) == len(tokenizer.vocabulary)
    assert b"".join(spelled[x] for x in ids).strip() == b"word1 word2 word3"


def test_a_seed_draws_the_same_and_another_others(make):
    generator = keras_bert.TextGenerator(make(_GPT), 9, temperature=1.5)
    prompts = ["word1"] * 12
    texts = generator.generate(prompts, seed=1)
    assert texts == generator.generate(prompts, seed=1)
    assert texts != generator.generate(prompts, seed=2)
    assert len({*texts}) > 6
    assert texts[:5] == generator.generate(prompts[:5], seed=1)
    greedy = generator.generate(prompts[:1], temperature=0.0)
    drawing = keras_bert.TextGenerator(make(_GPT), 9, 1.5, top_k=3)
    assert greedy == drawing.generate(prompts[:1], temperature=0.0)
    for prompt in "word1", b"word1":
        assert [generator.generate(prompt, temperature=0.0)] == greedy


@pytest.mark.parametrize(
    "changes, shares",
    [
        ({}, [0.1, 0.4, 0.3, 0.2]),
        ({"top_k": 2}, [0, 4 / 7, 3 / 7, 0]),
        ({"top_p": 0.5}, [0, 4 / 7, 3 / 7, 0]),
        ({"top_p": 0.8}, [0, 4 / 9, 3 / 9, 2 / 9]),
        ({"top_k": 3, "top_p": 0.75}, [0, 4 / 7, 3 / 7, 0]),
        ({"temperature": 0.5}, [1 / 30, 16 / 30, 9 / 30, 4 / 30]),
        ({"temperature": 0.0}, [0, 1, 0, 0]),
    ],
)
def test_tokens_are_drawn_by_their_shares(changes, shares):
    values = {"temperature": 1.0, "top_k": 0, "top_p": 1.0, "seed": 4}
    sampling = Sampling(max_new_tokens=1, **{**values, **changes})
    logits = tf.math.log([[0.1, 0.4, 0.3, 0.2]] * 20_000)
    drawn = sampling.choose(logits, 0, [4, 3]).numpy()[:, 0]
    counts = np.bincount(drawn, minlength=4) / len(drawn)
    np.testing.assert_allclose(counts, shares, atol=0.015)


def test_of_a_long_prompt_the_end_is_read(model):
    generator = keras_bert.TextGenerator(model, max_new_tokens=9)
    words = ["word1", "word2", "word3"] * 20
    long, end = " ".join(words), " ".join(words[-15:])
    assert generator.generate([long]) == generator.generate([end])


@pytest.mark.smoke("gpt-1.0")
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_served_model_goes_on_the_same(temperature, model, tmp_path):
    top_p = 0.9 if temperature else 1.0
    generator = keras_bert.TextGenerator(model, 5, temperature, top_p=top_p)
    generator.export_saved_model(tmp_path / "served")
    loaded = tf.saved_model.load(str(tmp_path / "served" / "1"))
    answer = loaded.signatures["serving_default"](text=tf.constant(_PROMPTS))
    texts = [text.decode() for text in answer["generated_text"].numpy()]
    assert texts == generator.generate(_PROMPTS)
    with pytest.raises(ValueError, match="export_saved_model.*model.tflite"):
        generator.export_tflite(tmp_path / "model.tflite")


def _left_to_right(_):
    config = ModernBertConfig(40, 16, 24, 2, 2)
    return LeftToRight(modernbert_backbone(config), None)


_BOTH_WAYS = dataclasses.replace(_BERT, is_decoder=False)


@pytest.mark.parametrize(
    ("config", "call", "words"),
    [
        (_GPT, lambda x: x("a", max_new_tokens=0), "an integer, at.*=0"),
        (
            _GPT,
            lambda x: x("a", max_new_tokens=23),
            "must be below 23, to.*=23",
        ),
        (_GPT, lambda x: x("a", top_k=5), "`temperature` above 0.*=5"),
        (_GPT, lambda x: x("a", top_p=0.5), "`temperature` above 0.*=0.5"),
        (_GPT, lambda x: x("a", temperature=-1.0), "a number, at.*=-1.0"),
        (_GPT, lambda x: x("a", top_k=-1), "an integer, at least 0.*=-1"),
        (_GPT, lambda x: x("a", top_p=0.0), "must be a number above 0.*=0.0"),
        (_GPT, lambda x: x("a", seed=2**31), "an integer from.*=2147483648"),
        (_GPT, lambda x: x(["word1", ""]), "at least one token. Received: ''"),
        (_GPT, _left_to_right, "PostNormBlock.*PreNormBlock"),
        (_BOTH_WAYS, None, "left-to-right model. Received: BERT, which is"),
    ],
)
def test_what_cannot_be_gone_on_with_is_refused(make, config, call, words):
    with pytest.raises(ValueError, match=words):
        call(keras_bert.TextGenerator(make(config, "bpe"), 5).generate)
