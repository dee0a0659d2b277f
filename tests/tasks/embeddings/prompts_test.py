"""Prompts: compared with hand-computed vectors, saved and served."""

import json

import numpy as np
import pytest

from keras_bert.tasks import TextEmbedder
from keras_bert.tasks.embeddings.prompts import Prompts
from tests.tasks.embeddings.conftest import write_json

_TEXTS = ["the dog eats meat", "a cat", "the bird and the cat eats seeds."]
_PROMPTS = {"query": "the cat ", "passage": "a dog sees ", "none": ""}


def _with(prompt):
    return [prompt + text for text in _TEXTS]


def _check(vectors, expected):
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


@pytest.fixture
def directory(sentence_directory):
    """Return a function that writes a directory with prompts."""

    def write(default=None, **pooling):
        directory = sentence_directory("Pooling", pooling)
        values = {"prompts": _PROMPTS, "default_prompt_name": default}
        write_json(directory / "config_sentence_transformers.json", values)
        return directory

    return write


def test_queries_and_documents_have_their_prompts(expected, directory):
    embedder = TextEmbedder.from_pretrained(directory())
    _check(embedder.embed(_TEXTS, prompt="none"), expected(_TEXTS))
    _check(embedder.embed(_TEXTS, prompt="a dog "), expected(_with("a dog ")))
    _check(embedder.embed_query(_TEXTS), expected(_with("the cat ")))
    _check(embedder.embed_document(_TEXTS), expected(_with("a dog sees ")))
    assert embedder.embed([], prompt="query").shape == (0, 16)


def test_without_a_prompt_of_their_name_there_is_none(bert, expected):
    """The default prompt is not used either, as in sentence-transformers."""
    prompts = {"other": "the cat "}
    embedder = TextEmbedder(bert, prompts=prompts, default_prompt_name="other")
    for embed in (embedder.embed_query, embedder.embed_document):
        _check(embed(_TEXTS), expected(_TEXTS))
    prompts = {"corpus": "a ", "document": "the cat "}
    found = TextEmbedder(bert, prompts=prompts).embed_document(_TEXTS)
    _check(found, expected(_with("the cat ")))


def test_a_prompt_takes_of_the_room(expected, directory):
    embedder = TextEmbedder.from_pretrained(directory("query"), seq_length=6)
    vectors = expected(_with("the cat "), seq_length=6)
    _check(embedder.embed(_TEXTS), vectors)
    assert embedder.layers(["a cat"])[0].shape[1] == 6


@pytest.mark.parametrize("format", ["keras", "hf"])
def test_prompts_are_saved(directory, tmp_path, format):
    path = directory("query", include_prompt=False)
    embedder = TextEmbedder.from_pretrained(path)
    embedder.save(tmp_path / "saved", format=format)
    again = TextEmbedder.from_pretrained(tmp_path / "saved")
    assert again.prompts == Prompts(_PROMPTS, "query", include_prompt=False)
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


def test_examples_have_the_default_prompt(bert):
    pairs = [("a cat", "the cat"), ("a dog", "the dog")]
    prompts = {"prompts": {"x": "the bird "}, "default_prompt_name": "x"}
    embedder = TextEmbedder(bert, **prompts)
    plain = TextEmbedder(bert)
    prompted = [[f"the bird {text}" for text in pair] for pair in pairs]
    scores = [0.5, -0.5]
    assert embedder.evaluate(pairs, scores) == plain.evaluate(prompted, scores)


_NEW = {"prompts": {"x": "a "}}


def test_none_and_empty_prompts_are_values(directory):
    path = directory("query")
    for arguments, prompts, default in (
        ({}, _PROMPTS, "query"),
        ({"prompts": None}, _PROMPTS, "query"),
        ({"default_prompt_name": None}, _PROMPTS, None),
        ({"default_prompt_name": ""}, _PROMPTS, None),
        ({"prompts": {}}, {}, None),
        ({"prompts": {"query": "a "}}, {"query": "a "}, "query"),
        (_NEW, {"x": "a "}, None),
        ({**_NEW, "default_prompt_name": "x"}, {"x": "a "}, "x"),
    ):
        found = TextEmbedder.from_pretrained(path, **arguments).prompts
        assert (found.prompts, found.default_prompt_name) == (prompts, default)


@pytest.mark.exhaustive
def test_tflite_does_not_prepend_prompts(bert, tmp_path):
    embedder = TextEmbedder(bert, prompts=_PROMPTS, default_prompt_name="query")
    with pytest.raises(ValueError, match="StringJoin.*files=..ids"):
        embedder.export_tflite(tmp_path / "model.tflite")
    embedder.export_tflite(tmp_path / "model.tflite", files=["ids"])
