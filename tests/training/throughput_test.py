import dataclasses

import pytest

from keras_bert.config import BertConfig
from keras_bert.training.throughput import matrix_product_rate
from keras_bert.training.throughput import training_flops


@pytest.mark.parametrize(
    ("num_layers", "hidden", "num_heads"), [(4, 512, 8), (12, 768, 12)]
)
@pytest.mark.parametrize("seq_length", [128, 512])
def test_operations_are_those_of_the_matrix_products(
    num_layers, hidden, num_heads, seq_length
):
    config = BertConfig(
        vocab_size=30522,
        num_hidden_layers=num_layers,
        hidden_size=hidden,
        num_attention_heads=num_heads,
        intermediate_size=4 * hidden,
    )
    per_token = num_layers * (24 * hidden**2 + 4 * seq_length * hidden)
    head = 20 * (2 * hidden**2 + 2 * hidden * 30522)
    pooler = 2 * hidden**2 + 2 * hidden * 2
    expected = 3 * (seq_length * per_token + head + pooler)
    assert training_flops(config, seq_length, 20) == expected
    # The formula of other benchmarks leaves out the two NSP logits.
    without = 3 * (seq_length * per_token + head + 2 * hidden**2)
    assert expected == pytest.approx(without, rel=1e-6)


def test_the_width_of_the_intermediate_layer_counts():
    config = BertConfig(vocab_size=30522, num_hidden_layers=1)
    wider = dataclasses.replace(config, intermediate_size=3073)
    more = training_flops(wider, 128, 20) - training_flops(config, 128, 20)
    assert more == 3 * 128 * 2 * 2 * 768


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_the_machine_multiplies_at_a_likely_rate(dtype):
    assert 1e8 < matrix_product_rate(dtype) < 1e16
