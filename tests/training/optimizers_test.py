import operator
import pathlib
import re

import keras
import numpy as np
import pytest

from keras_bert.models import bert_pretrainer
from keras_bert.training import pretraining_losses
from keras_bert.training.adamw import AdamW
from keras_bert.training.lamb import Lamb
from keras_bert.training.optimizers import bert_adamw
from keras_bert.training.optimizers import bert_lamb
from keras_bert.training.optimizers import bert_stable_adamw
from keras_bert.training.optimizers import describe_weight_decay
from keras_bert.training.schedules import CosineWarmupDecay

_ROOT = pathlib.Path(__file__).parents[2]
_BLOCK_KERNELS = (
    "self_attention/query_key_value/kernel",
    "self_attention/attention_output/kernel",
    "feed_forward/intermediate/kernel",
    "feed_forward/feed_forward_output/kernel",
)
_BLOCK_OTHERS = (
    "self_attention/query_key_value/bias",
    "self_attention/attention_output/bias",
    "attention_layer_norm/gamma",
    "attention_layer_norm/beta",
    "feed_forward/intermediate/bias",
    "feed_forward/feed_forward_output/bias",
    "output_layer_norm/gamma",
    "output_layer_norm/beta",
)
_DECAYING = {
    "embeddings/word_embeddings",
    "embeddings/position_embeddings",
    "embeddings/segment_embeddings",
    *(f"block_{index}/{name}" for index in range(2) for name in _BLOCK_KERNELS),
    "pooler/kernel",
    "masked_lm_head/transform/kernel",
    "nsp_head/classifier/kernel",
}
_EXEMPT = {
    "embeddings/layer_norm/gamma",
    "embeddings/layer_norm/beta",
    *(f"block_{index}/{name}" for index in range(2) for name in _BLOCK_OTHERS),
    "pooler/bias",
    "masked_lm_head/transform/bias",
    "masked_lm_head/layer_norm/gamma",
    "masked_lm_head/layer_norm/beta",
    "masked_lm_head/output_bias",
    "nsp_head/classifier/bias",
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
    changed = {
        variable.path: bool((variable.numpy() != 1).any())
        for variable in model.trainable_variables
    }
    assert {path for path in changed if changed[path]} == _DECAYING
    assert {path for path in changed if not changed[path]} == _EXEMPT


def test_description_tells_which_variables_decay(tiny_config):
    assert describe_weight_decay(bert_pretrainer(tiny_config)).split("\n") == [
        "14 tables and matrices decay:",
        "  1 x embeddings/word_embeddings",
        "  1 x embeddings/position_embeddings",
        "  1 x embeddings/segment_embeddings",
        *(f"  2 x block_*/{name}" for name in _BLOCK_KERNELS),
        "  1 x pooler/kernel",
        "  1 x masked_lm_head/transform/kernel",
        "  1 x nsp_head/classifier/kernel",
        "24 biases and LayerNorm weights do not:",
        "  1 x embeddings/layer_norm/gamma",
        "  1 x embeddings/layer_norm/beta",
        *(f"  2 x block_*/{name}" for name in _BLOCK_OTHERS),
        "  1 x pooler/bias",
        "  1 x masked_lm_head/output_bias",
        "  1 x masked_lm_head/transform/bias",
        "  1 x masked_lm_head/layer_norm/gamma",
        "  1 x masked_lm_head/layer_norm/beta",
        "  1 x nsp_head/classifier/bias",
    ]


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
    original = bert_adamw(model, 1e-4, bias_correction=False)
    assert not original.get_config()["bias_correction"]


def train(model, batches):
    losses = []
    for batch in batches:
        model.reset_metrics()  # Keras 3.12 gives the mean since then.
        losses.append(float(model.train_on_batch(*batch)[0]))
    return losses


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
