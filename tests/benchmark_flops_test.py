"""The operation counts of the benchmarks match the graph."""

import dataclasses
import pathlib
import runpy

import pytest
import tensorflow as tf

from keras_bert.layers import DisentangledAttention
from keras_bert.models.family import family_of
from keras_bert.models.heads import add_heads
from tests import tiny

_BENCHMARKS = pathlib.Path(__file__).parents[1] / "benchmarks"
_SMALL = tiny.config("bert", L=3, I=20, P=64)


def make_pretrainer(config, parts=None):
    """Return a model with its backbone and heads."""
    family = family_of(config.model_type)
    backbone = family.backbone(config)
    heads = family.heads(config, backbone.embeddings)
    heads = {part: heads[part] for part in parts or heads}
    return add_heads(backbone, heads, "model"), backbone, heads


def graph_flops(model, seq_length, num_predictions=None):
    """Count the operations of TensorFlow's products in a forward pass."""
    lengths = {"masked_lm_positions": num_predictions}
    inputs = {
        name: tf.TensorSpec((1, lengths.get(name, seq_length)), tf.int32)
        for name in model.input
    }
    return product_flops(tf.function(model).get_concrete_function(inputs).graph)


def product_flops(graph):
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
    """Return the operations of gathers and of unused queries."""
    hidden = config.hidden_size
    segments = 2 * seq_length * config.type_vocab_size * hidden
    gathered = 2 * 2 * num_looked_at * seq_length * hidden
    unused_queries = 2 * (seq_length - num_looked_at) * hidden**2
    return segments + gathered + unused_queries


@pytest.mark.parametrize(
    "seq_length, num_predictions, num_layers, has_nsp_head",
    [(16, 3, 1, True), (64, 20, 3, False)],
)
def test_operations_are_those_of_the_graph(
    seq_length, num_predictions, num_layers, has_nsp_head
):
    config = dataclasses.replace(_SMALL, num_hidden_layers=num_layers)
    parts = ("masked_lm_head", "nsp_head")[: 1 + has_nsp_head]
    model, backbone, heads = make_pretrainer(config, parts)
    found = graph_flops(model, seq_length, num_predictions)
    others = other_products(config, seq_length, num_predictions + has_nsp_head)
    flops = runpy.run_path(_BENCHMARKS / "flops.py")
    arguments = backbone, heads, seq_length, num_predictions
    assert flops["training_flops"](*arguments) == 3 * (found - others)


def test_operations_of_disentangled_attention_are_those_of_the_graph():
    attention = DisentangledAttention(8, 2, num_buckets=4, max_distance=16)
    graph = (
        tf.function(lambda x, y: attention(x, context={"relative_table": y}))
        .get_concrete_function(tf.TensorSpec((1, 5, 8)), tf.TensorSpec((8, 8)))
        .graph
    )
    assert attention.flops(5, 5) == product_flops(graph)


@pytest.mark.parametrize(
    "model, published",
    [("BERT-base", "6.43e+19"), ("ELECTRA-small", "1.29e+18")],
)
def test_training_operations_are_the_published_ones(model, published):
    found = runpy.run_path(_BENCHMARKS / "published_flops.py")["TRAINING"]
    assert f"{found[model]:.2e}" == published
