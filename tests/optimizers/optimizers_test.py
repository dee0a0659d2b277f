import collections
import operator
import pathlib
import re

import keras
import numpy as np
import pytest

from keras_bert.models import bert_pretrainer
from keras_bert.optimizers.adamw import AdamW
from keras_bert.optimizers.lamb import Lamb
from keras_bert.optimizers.optimizers import bert_adamw
from keras_bert.optimizers.optimizers import bert_lamb
from keras_bert.optimizers.optimizers import bert_stable_adamw
from keras_bert.optimizers.optimizers import describe_weight_decay
from keras_bert.optimizers.schedules import CosineWarmupDecay
from keras_bert.pretraining import losses as pretraining_losses

_ROOT = pathlib.Path(__file__).parents[2]
_DECAYING = {
    "embeddings/word_embeddings": 1,
    "embeddings/position_embeddings": 1,
    "embeddings/segment_embeddings": 1,
    "block_*/self_attention/query_key_value/kernel": 2,
    "block_*/self_attention/attention_output/kernel": 2,
    "block_*/feed_forward/intermediate/kernel": 2,
    "block_*/feed_forward/feed_forward_output/kernel": 2,
    "pooler/kernel": 1,
    "masked_lm_head/transform/kernel": 1,
    "nsp_head/classifier/kernel": 1,
}
_MAKERS = pytest.mark.parametrize(
    "make_optimizer", [bert_adamw, bert_lamb, bert_stable_adamw]
)


@_MAKERS
def test_matrices_and_tables_decay_and_nothing_else(
    tiny_config, make_optimizer
):
    model = bert_pretrainer(tiny_config)
    for variable in model.trainable_variables:
        variable.assign(np.ones(variable.shape))
    zeros = [keras.ops.zeros(v.shape) for v in model.trainable_variables]
    optimizer = make_optimizer(model, learning_rate=0.5, weight_decay=0.1)
    optimizer.apply(zeros, model.trainable_variables)
    changed = collections.Counter(
        re.sub(r"block_\d+", "block_*", variable.path)
        for variable in model.trainable_variables
        if (variable.numpy() != 1).any()
    )
    assert changed == _DECAYING


def test_description_says_which_variables_decay(tiny_config):
    text = describe_weight_decay(bert_pretrainer(tiny_config))
    decaying, others = text.split(
        "\n24 biases and LayerNorm weights without weight decay:\n"
    )
    assert decaying.split("\n") == [
        "14 embedding tables and matrices with weight decay:",
        *(f"  {count} x {name}" for name, count in _DECAYING.items()),
    ]
    assert "  2 x block_*/attention_layer_norm/gamma\n" in others


def test_settings_are_those_of_the_papers(tiny_config):
    model = bert_pretrainer(tiny_config)
    adam = {"beta_1": 0.9, "beta_2": 0.999, "epsilon": 1e-6}
    adam |= {"weight_decay": 0.01, "bias_correction": True}
    for optimizer, kind, clip in (
        (bert_adamw(model, 1e-4), AdamW, 1.0),
        (bert_lamb(model, 1e-4), Lamb, None),
    ):
        assert type(optimizer) is kind
        expected = {**adam, "global_clipnorm": clip}
        assert optimizer.get_config().items() >= expected.items()
    assert not bert_adamw(model, 1e-4, bias_correction=False).bias_correction


def train(model, batches):
    losses = []
    for batch in batches:
        model.reset_metrics()  # The mean since the last reset.
        losses.append(float(model.train_on_batch(*batch)[0]))
    return losses


@pytest.mark.smoke("bert_adamw")
@_MAKERS
def test_a_saved_model_goes_on_as_if_never_stopped(
    tiny_config, random_batch, tmp_path, make_optimizer
):
    model = bert_pretrainer(tiny_config)
    schedule = CosineWarmupDecay(0.01, num_train_steps=10, num_warmup_steps=2)
    optimizer = make_optimizer(model, schedule)
    model.compile(optimizer, pretraining_losses(), run_eagerly=True)
    batches = [random_batch(seed) for seed in range(4)]
    train(model, batches[:2])
    model.save(tmp_path / "model.keras")
    revived = keras.saving.load_model(tmp_path / "model.keras")
    assert type(revived.optimizer) is type(optimizer)
    assert revived.optimizer.get_config() == optimizer.get_config()
    losses = train(model, batches[2:])
    assert train(revived, batches[2:]) == losses
    for ours, theirs in zip(model.weights, revived.weights, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())


@pytest.mark.smoke("mixed_float16-bert_adamw")
@_MAKERS
@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_mixed_precision_trains_float32_weights(
    tiny_config, random_batch, make_optimizer, policy
):
    keras.config.set_dtype_policy(policy)
    model = bert_pretrainer(tiny_config)
    optimizer = make_optimizer(model, 0.01)
    model.compile(optimizer, pretraining_losses(), run_eagerly=True)
    losses = train(model, [random_batch(0)] * 5)
    assert losses[-1] < losses[0]
    is_scaled = isinstance(model.optimizer, keras.optimizers.LossScaleOptimizer)
    assert is_scaled == (policy == "mixed_float16")
    assert {v.dtype for v in model.trainable_variables} == {"float32"}
    assert int(optimizer.iterations) == 5


def test_what_the_page_names_is_in_keras():
    page = (_ROOT / "docs" / "optimizers.md").read_text(encoding="utf-8")
    names = {*re.findall(r"`keras((?:\.\w+)+)", page)}
    assert len(names) > 10
    for name in names:
        assert operator.attrgetter(name[1:])(keras)
