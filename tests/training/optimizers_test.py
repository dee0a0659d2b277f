import keras
import numpy as np

from keras_bert.models import bert_pretrainer
from keras_bert.training import bert_adamw
from keras_bert.training.schedules import LinearWarmupDecay

_BLOCK_KERNELS = (
    "self_attention/query_key_value/kernel",
    "self_attention/attention_output/kernel",
    "intermediate/kernel",
    "feed_forward_output/kernel",
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


def numpy_adamw(weights, all_gradients, learning_rates, decaying):
    """Adam (arXiv 1412.6980, end of section 2) with decoupled decay."""
    mean = [np.zeros_like(weight) for weight in weights]
    square = [np.zeros_like(weight) for weight in weights]
    weights = list(weights)
    steps = zip(all_gradients, learning_rates, strict=True)
    for step, (gradients, rate) in enumerate(steps, start=1):
        norm = np.sqrt(sum(np.sum(g**2) for g in gradients))
        for index, gradient in enumerate(gradients):
            gradient = gradient / max(norm, 1.0)
            mean[index] = 0.9 * mean[index] + 0.1 * gradient
            square[index] = 0.999 * square[index] + 0.001 * gradient**2
            corrected = rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step)
            update = corrected * mean[index] / (np.sqrt(square[index]) + 1e-6)
            if decaying[index]:
                update += rate * 0.01 * weights[index]
            weights[index] = weights[index] - update
    return weights


def random_like(arrays, seed, stddev):
    random = np.random.default_rng(seed)
    return [random.normal(0.0, stddev, array.shape) for array in arrays]


def apply(optimizer, model, gradients):
    gradients = [keras.ops.cast(g, "float32") for g in gradients]
    optimizer.apply(gradients, model.trainable_variables)


def test_matrices_and_tables_decay_and_nothing_else(tiny_config):
    model = bert_pretrainer(tiny_config)
    for variable in model.trainable_variables:
        variable.assign(np.ones(variable.shape))
    optimizer = bert_adamw(model, learning_rate=0.5, weight_decay=0.1)
    zeros = [np.zeros(v.shape) for v in model.trainable_variables]
    apply(optimizer, model, zeros)
    values = {v.path: v.numpy() for v in model.trainable_variables}
    assert {path for path, x in values.items() if (x != 1).any()} == _DECAYING
    for path in _DECAYING:
        np.testing.assert_allclose(values[path], 1.0 - 0.5 * 0.1, rtol=1e-6)


def check_steps(model, optimizer, gradients, learning_rates):
    variables = model.trainable_variables
    expected = numpy_adamw(
        [variable.numpy().astype("float64") for variable in variables],
        gradients,
        learning_rates,
        [variable.path in _DECAYING for variable in variables],
    )
    for step_gradients in gradients:
        apply(optimizer, model, step_gradients)
    for variable, value in zip(variables, expected, strict=True):
        np.testing.assert_allclose(
            variable.numpy(), value, atol=1e-6, err_msg=variable.path
        )


def test_steps_are_those_of_the_papers(tiny_config):
    """Gradients of norm above 1, so that they are clipped."""
    model = bert_pretrainer(tiny_config)
    start = model.get_weights()
    gradients = [random_like(start, seed, stddev=0.5) for seed in range(3)]
    assert np.sqrt(sum(np.sum(g**2) for g in gradients[0])) > 5
    check_steps(model, bert_adamw(model, 0.01), gradients, [0.01] * 3)


def test_small_gradients_are_not_scaled(tiny_config):
    model = bert_pretrainer(tiny_config)
    start = model.get_weights()
    gradients = [random_like(start, seed, stddev=0.001) for seed in range(3)]
    assert np.sqrt(sum(np.sum(g**2) for g in gradients[0])) < 0.1
    check_steps(model, bert_adamw(model, 0.01), gradients, [0.01] * 3)


def test_rate_and_decay_follow_the_schedule(tiny_config):
    model = bert_pretrainer(tiny_config)
    start = model.get_weights()
    gradients = [random_like(start, seed, stddev=0.5) for seed in range(4)]
    schedule = LinearWarmupDecay(0.1, num_train_steps=4, num_warmup_steps=2)
    check_steps(
        model, bert_adamw(model, schedule), gradients, [0.0, 0.05, 0.05, 0.025]
    )
