"""Prompts: compared with hand-computed vectors, saved and served."""

import json

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.checkpoints import CheckpointError
from keras_bert.export import export_onnx
from keras_bert.tasks import TextEmbedder

_TEXTS = ["the dog eats meat", "a cat", "the bird and the cat eats seeds."]
_PROMPTS = {"query": "the cat ", "passage": "a dog sees ", "none": ""}
_POOLS = {
    "mean": lambda states: states.mean(axis=0),
    "max": lambda states: states.max(axis=0),
    "cls": lambda states: states[0],
}


def _with(prompt):
    return [prompt + text for text in _TEXTS]


def _check(vectors, expected):
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


@pytest.fixture
def directory(sentence_directory):
    """Return a function that writes a directory with prompts."""

    def write(default=None, prompts=_PROMPTS, **pooling):
        directory = sentence_directory("Pooling", pooling)
        values = {"prompts": prompts, "default_prompt_name": default}
        path = directory / "config_sentence_transformers.json"
        path.write_text(json.dumps(values))
        return directory

    return write


def test_the_prompt_that_is_named_goes_before_each_text(expected, directory):
    embedder = TextEmbedder.from_pretrained(directory())
    plain, query = expected(_TEXTS), expected(_with("the cat "))
    assert np.abs(plain - query).max() > 0.1
    _check(embedder.embed(_TEXTS), plain)
    _check(embedder.embed(_TEXTS, prompt="none"), plain)
    _check(embedder.embed(_TEXTS, prompt="query"), query)
    _check(embedder.embed_query(_TEXTS), query)
    passage = expected(_with("a dog sees "))
    _check(embedder.embed_document(_TEXTS), passage)
    assert embedder.embed([], prompt="query").shape == (0, 16)


def test_the_default_goes_before_texts_that_none_is_named_for(
    bert, expected, directory
):
    embedder = TextEmbedder.from_pretrained(directory("passage"))
    passage = expected(_with("a dog sees "))
    _check(embedder.embed(_TEXTS), passage)
    _check(embedder.embed(_TEXTS, prompt=""), expected(_TEXTS))
    served = embedder.predict_texts(tf.constant(_TEXTS))["embedding"]
    _check(served, passage)
    (first,) = embedder.layers(_TEXTS[:1])
    (words,) = bert.tokenizer(_with("a dog sees ")[:1]).to_list()
    assert first.shape[1] == len(words) + 2


def test_without_a_prompt_of_their_name_there_is_none(bert, expected):
    """The default prompt is not used either, as in sentence-transformers."""
    prompts = {"other": "the cat "}
    embedder = TextEmbedder(bert, prompts=prompts, default_prompt_name="other")
    for embed in (embedder.embed_query, embedder.embed_document):
        _check(embed(_TEXTS), expected(_TEXTS))
    prompts = {"corpus": "a ", "document": "the cat "}
    embedder = TextEmbedder(bert, prompts=prompts)
    vectors = expected(_with("the cat "))
    _check(embedder.embed_document(_TEXTS), vectors)


@pytest.mark.parametrize("pooling", [*_POOLS])
def test_the_prompt_may_stay_out_of_the_pooling(expected, directory, pooling):
    """Exclude the prompt with [CLS]; "cls" pooling uses the token after it."""
    path = directory("query", pooling_mode=pooling, include_prompt=False)
    embedder = TextEmbedder.from_pretrained(path)
    pool = _POOLS[pooling]
    query = expected(_with("the cat "), pool, left_out=3)
    _check(embedder.embed(_TEXTS), query)
    passage = expected(_with("a dog sees "), pool, left_out=4)
    _check(embedder.embed(_TEXTS, prompt="passage"), passage)
    _check(embedder.embed(_TEXTS, prompt=""), expected(_TEXTS, pool))
    served = embedder.predict_texts(tf.constant(_TEXTS))["embedding"]
    _check(served, query)


def test_a_prompt_takes_of_the_room(expected, directory):
    embedder = TextEmbedder.from_pretrained(directory("query"), seq_length=6)
    vectors = expected(_with("the cat "), seq_length=6)
    _check(embedder.embed(_TEXTS), vectors)


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_prompts_are_saved(directory, tmp_path, format):
    path = directory("query", include_prompt=False)
    embedder = TextEmbedder.from_pretrained(path)
    embedder.save(tmp_path / "saved", format=format)
    again = TextEmbedder.from_pretrained(tmp_path / "saved")
    assert again.prompts == embedder.prompts
    assert again.prompts.prompts == _PROMPTS
    _check(again.embed(_TEXTS), embedder.embed(_TEXTS))
    if format == "hf":
        values = json.loads(
            (tmp_path / "saved/config_sentence_transformers.json").read_text()
        )
        assert values == {
            "prompts": _PROMPTS,
            "default_prompt_name": "query",
            "similarity_fn_name": "cosine",
        }


def test_what_is_learned_from_has_the_default_prompt(bert):
    pairs = [("a cat", "the cat"), ("a dog", "the dog")]
    prompts = {"prompts": {"x": "the bird "}, "default_prompt_name": "x"}
    embedder = TextEmbedder(bert, **prompts)
    plain = TextEmbedder(bert)
    prompted = [[f"the bird {text}" for text in pair] for pair in pairs]
    scores = [0.5, -0.5]
    assert embedder.evaluate(pairs, scores) == plain.evaluate(prompted, scores)
    recipe = {"epochs": 1, "batch_size": 2, "verbose": 0}
    assert embedder.fit(pairs, **recipe).history["loss"]


def test_files_that_put_no_prompt_before_texts_are_refused(bert, tmp_path):
    embedder = TextEmbedder(bert, prompts=_PROMPTS, default_prompt_name="query")
    with pytest.raises(ValueError, match="StringJoin.*files=..ids"):
        embedder.export_tflite(str(tmp_path / "model.tflite"))
    embedder.export_tflite(str(tmp_path / "model.tflite"), files=["ids"])
    with pytest.raises(ValueError, match="cannot add a prompt.*'the cat '"):
        export_onnx(embedder, str(tmp_path / "onnx"))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"prompts": ["a"]}, "must be a dict.*'a'"),
        ({"prompts": {"query": 3}}, "must be a dict.*3"),
        (
            {"default_prompt_name": "query"},
            "must be one of None. Received: .*'query'",
        ),
        (
            {"prompts": {"a": "b"}, "default_prompt_name": "query"},
            "must be one of None, a. Received: .*'query'",
        ),
    ],
)
def test_prompts_that_cannot_be_are_errors(
    bert, sentence_directory, values, message
):
    path = sentence_directory() / "config_sentence_transformers.json"
    path.write_text(json.dumps(values))
    with pytest.raises(CheckpointError, match=f"{path.name}: .*{message}"):
        TextEmbedder.from_pretrained(path.parent)
    with pytest.raises(ValueError, match=message):
        TextEmbedder(bert, **values)


def test_a_name_that_is_none_is_an_error(bert):
    with pytest.raises(
        ValueError, match=r"none yet.*pass prompts=.*'query: '\.$"
    ):
        TextEmbedder(bert).embed(_TEXTS, prompt="query: ")
    embedder = TextEmbedder(bert, prompts=_PROMPTS)
    with pytest.raises(ValueError, match=r"\(query, passage, none\).*'x'"):
        embedder.embed(_TEXTS, prompt="x")


@pytest.mark.parametrize(
    ("arguments", "prompts", "default"),
    [
        ({}, _PROMPTS, "query"),
        ({"prompts": None}, _PROMPTS, "query"),
        ({"default_prompt_name": None}, _PROMPTS, None),
        ({"default_prompt_name": ""}, _PROMPTS, None),
        ({"prompts": {}}, {}, None),
        ({"prompts": {"query": "a "}}, {"query": "a "}, "query"),
        ({"prompts": {"x": "a "}}, {"x": "a "}, None),
        (
            {"prompts": {"x": "a "}, "default_prompt_name": "x"},
            {"x": "a "},
            "x",
        ),
    ],
)
@pytest.mark.parametrize("format", ["published", "keras"])
def test_none_and_empty_prompts_are_values(
    directory, tmp_path, format, arguments, prompts, default
):
    path = directory("query")
    if format == "keras":
        TextEmbedder.from_pretrained(path).save(tmp_path / "own")
        path = tmp_path / "own"
    found = TextEmbedder.from_pretrained(path, **arguments).prompts
    assert (found.prompts, found.default_prompt_name) == (prompts, default)
