import dataclasses
import types

import pytest
import tensorflow as tf

from keras_bert.models.family import family_of
from keras_bert.models.heads import add_heads
from keras_bert.training import flops
from keras_bert.training.flops import encoding_flops
from keras_bert.training.flops import matrix_product_rate
from keras_bert.training.flops import training_flops
from tests import tiny

_SMALL = tiny.config("bert", L=3, I=20, P=64)


def make_pretrainer(config, parts=None):
    """A model with its backbone and heads."""
    family = family_of(config.model_type)
    backbone = family.backbone(config)
    heads = family.heads(config, backbone.embeddings)
    heads = {part: heads[part] for part in parts or heads}
    return add_heads(backbone, heads, "model"), backbone, heads


def graph_flops(model, seq_length, num_predictions=None):
    """What TensorFlow's products multiply in a forward pass, op by op."""
    lengths = {"masked_lm_positions": num_predictions}
    inputs = {
        name: tf.TensorSpec((1, lengths.get(name, seq_length)), tf.int32)
        for name in model.input
    }
    graph = tf.function(model).get_concrete_function(inputs).graph
    total = 0
    for op in graph.get_operations():
        if op.type in ("MatMul", "BatchMatMulV2"):
            left, _ = op.inputs
            transposed = op.get_attr(
                "transpose_a" if op.type == "MatMul" else "adj_x"
            )
            inner = left.shape[-2 if transposed else -1]
            total += 2 * inner * op.outputs[0].shape.num_elements()
    return total


def other_products(config, seq_length, num_looked_at):
    """Products of the graph that pick rows or that nobody asks for."""
    hidden = config.hidden_size
    segments = 2 * seq_length * config.type_vocab_size * hidden
    gathered = 2 * 2 * num_looked_at * seq_length * hidden
    unused_queries = 2 * (seq_length - num_looked_at) * hidden**2
    return segments + gathered + unused_queries


@pytest.mark.parametrize("seq_length, num_predictions", [(16, 3), (64, 20)])
@pytest.mark.parametrize("num_layers", [1, 3])
@pytest.mark.parametrize("has_nsp_head", [True, False])
def test_operations_are_those_of_the_graph(
    seq_length, num_predictions, num_layers, has_nsp_head
):
    config = dataclasses.replace(_SMALL, num_hidden_layers=num_layers)
    parts = ("masked_lm_head", "nsp_head")[: 1 + has_nsp_head]
    model, backbone, heads = make_pretrainer(config, parts)
    found = graph_flops(model, seq_length, num_predictions)
    others = other_products(config, seq_length, num_predictions + has_nsp_head)
    assert training_flops(backbone, heads, seq_length, num_predictions) == 3 * (
        found - others
    )


@pytest.mark.parametrize("seq_length", [16, 64])
def test_encoding_looks_at_all_positions_in_all_blocks(seq_length):
    backbone = family_of(_SMALL.model_type).backbone(_SMALL)
    found = graph_flops(backbone.encoder("encoder"), seq_length)
    hidden = _SMALL.hidden_size
    segments = 2 * seq_length * _SMALL.type_vocab_size * hidden
    pooler = 2 * hidden**2
    assert encoding_flops(backbone, seq_length) == found - segments - pooler


@pytest.mark.parametrize("num_groups, inner", [(1, 1), (3, 2)])
def test_runs_of_shared_blocks_and_narrow_tables_count(num_groups, inner):
    config = tiny.config("albert", L=3, G=num_groups, K=inner, I=20)
    model, backbone, heads = make_pretrainer(config)
    found = graph_flops(backbone.encoder("encoder"), 16)
    segments = 2 * 16 * config.type_vocab_size * config.embedding_size
    assert encoding_flops(backbone, 16) == found - segments - 2 * 8**2
    found = graph_flops(model, 16, 3)
    others = 2 * 2 * 4 * 16 * 8 + 2 * (16 - 4) * 8**2
    expected = 3 * (found - segments - others)
    assert training_flops(backbone, heads, 16, 3) == expected


def test_the_rate_is_that_of_the_fastest_product(monkeypatch):
    """On a clock on which the first product takes 0.25 s, the next 0.125 s."""
    times = iter([0.0, 0.0, 0.0, 0.25, 0.25, 0.25, 0.375, 0.375])
    clock = types.SimpleNamespace(perf_counter=lambda: next(times))
    monkeypatch.setattr(flops, "time", clock)
    assert matrix_product_rate("float32") == 2 * 2048**3 / 0.125


@pytest.mark.parametrize("part", ["masked_lm_head", "replaced_token_head"])
def test_a_head_counts_at_the_tokens_that_it_reads(part):
    config = tiny.config("electra", I=20)
    model, backbone, heads = make_pretrainer(config, [part])
    found = graph_flops(model, 16, 3)
    others = 2 * 16 * config.type_vocab_size * config.embedding_size
    if part == "masked_lm_head":
        others += 2 * 2 * 3 * 16 * 8 + 2 * (16 - 3) * 8**2
    assert training_flops(backbone, heads, 16, 3) == 3 * (found - others)


def test_gates_and_windows_count_as_they_are_computed():
    config = tiny.config("modernbert", I=20)
    model, backbone, heads = make_pretrainer(config)
    assert encoding_flops(backbone, 16) == graph_flops(
        backbone.encoder("encoder"), 16
    )
    others = 2 * 2 * 3 * 16 * 8 + 2 * (16 - 3) * 8**2
    assert training_flops(backbone, heads, 16, 3) == 3 * (
        graph_flops(model, 16, 3) - others
    )
