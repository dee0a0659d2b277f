"""Preprocessors on the host, compared with the graph."""

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.template import Template
from keras_bert.text.host_tokenizer import HostTokenizer
from keras_bert.text.preprocessor import Preprocessor
from keras_bert.text.templates import locate_pieces

_TEXTS = ["the cat", "", "Unaffable cats, [MASK] 中文.", "the cats " * 9]
_PAIRS = ["cats.", "", "the cat " * 9, "cat " * 20]
_LEFT = Template("A cls", "A cls B:1 sep:1", padding_side="left")


def _equal(found, expected):
    tf.nest.assert_same_structure(found, expected)
    for one, other in zip(tf.nest.flatten(found), tf.nest.flatten(expected)):
        assert type(one) is np.ndarray and one.dtype == other.numpy().dtype
        np.testing.assert_array_equal(one, other.numpy())


@pytest.mark.parametrize("columns", [[_TEXTS], [_TEXTS, _PAIRS], [[]]])
@pytest.mark.parametrize("truncation", ["head", "tail", "head_tail"])
@pytest.mark.parametrize("template", [Template(), _LEFT])
def test_arrays_equal_the_tensors(tokenizer, template, truncation, columns):
    host, graph = (
        Preprocessor(x, template, 12, truncation)
        for x in (HostTokenizer(tokenizer.settings), tokenizer)
    )
    _equal(host(*columns), graph(*columns))
    _equal(host.encode_rows(*columns), graph.encode_rows(*columns))
    _equal(locate_pieces(host, *columns), locate_pieces(graph, *columns))
    tokens = host.tokenize(*columns)
    inputs, truncated = host.add_special_tokens(*tokens, copies=tokens)
    is_text = inputs["copies"] > 0
    assert (inputs["input_ids"] == inputs["copies"])[is_text].all()
    _equal(truncated, graph.encode(*columns)[1])
    _equal(host("a cat"), graph("a cat"))
