import dataclasses
import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from keras_bert.models import bert_pretrainer
from keras_bert.optimizers import bert_adamw
from keras_bert.optimizers.schedules import LinearWarmupDecay
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.pretraining.objectives.terms import mean_metrics
from keras_bert.pretraining.objectives.trainable_models import TrainableModels
from tests import tiny
from tests.tiny import reset
from tests.tiny import values_of

_NUM_STEPS = 5
_CONFIG = tiny.config("bert", L=1)
RATES = LinearWarmupDecay(0.01, num_train_steps=10, num_warmup_steps=2)


def make_dataset(batches):
    """Return arrays as a dataset like `pretraining.dataset`."""
    datasets = [tf.data.Dataset.from_tensors(batch) for batch in batches]
    return functools.reduce(tf.data.Dataset.concatenate, datasets)


def make_loop(config=_CONFIG, precision="float32", rates=RATES, **arguments):
    keras.config.set_dtype_policy(precision)
    keras.utils.set_random_seed(1)
    model = bert_pretrainer(config)
    return PretrainingLoop(
        TrainableModels(model), bert_adamw(model, rates), **arguments
    )


def train(loop, batches):
    """Run one step per batch; return the metrics of each."""
    iterator = iter(make_dataset(batches))
    one = tf.constant(1)
    return [mean_metrics(loop.train(iterator, one)) for _ in batches]


def largest_difference(loop, other):
    return max(
        np.abs(a.numpy() - b.numpy()).max()
        for a, b in zip(loop.model.weights, other.model.weights, strict=True)
    )


@pytest.fixture(scope="module")
def trained(random_batch):
    """Return a loop after some steps, its batches and its losses.

    The batches have different numbers of predictions in each quarter.
    """
    batches = [random_batch(seed, batch_size=8) for seed in range(_NUM_STEPS)]
    loop = make_loop()
    return loop, batches, [step["loss"] for step in train(loop, batches)]


@pytest.mark.parametrize("parallel_parts", [1, 3])
def test_evaluation_is_the_mean_over_all_real_predictions(
    tiny_config, random_batch, parallel_parts
):
    config = dataclasses.replace(tiny_config, hidden_dropout_prob=0.5)
    # Dropout is only for training.
    loop = make_loop(config, parallel_parts=parallel_parts)
    batches = [random_batch(seed, batch_size=8 - seed) for seed in range(3)]
    counts = {batch[2]["mlm_logits"].mean() for batch in batches}
    assert len(counts) > 1
    before = values_of(loop)
    metrics = loop.evaluate(make_dataset(batches))
    for old, new in zip(before, values_of(loop), strict=True):
        np.testing.assert_array_equal(old, new)
    inputs, labels, weights = tf.nest.map_structure(
        lambda *x: np.concatenate(x), *batches
    )
    outputs = loop.model(inputs)
    expected = {}
    for task in ("mlm", "nsp"):
        name = f"{task}_logits"
        is_real = weights[name] == 1
        wanted, logits = labels[name][is_real], outputs[name][is_real].numpy()
        losses = keras.losses.sparse_categorical_crossentropy(
            wanted, logits, from_logits=True
        )
        expected[f"{task}_loss"] = np.mean(losses)
        expected[f"{task}_accuracy"] = np.mean(logits.argmax(-1) == wanted)
    assert metrics == pytest.approx(expected, abs=1e-5)


def test_training_drops_out_otherwise_in_each_step(random_batch):
    config = dataclasses.replace(_CONFIG, hidden_dropout_prob=0.5)
    loop = make_loop(config)
    batch = random_batch(0)
    metrics = loop.evaluate(make_dataset([batch]))
    loss = metrics["mlm_loss"] + metrics["nsp_loss"]
    before = values_of(loop)
    # The first learning rate of the warmup is 0.
    (first,) = train(loop, [batch])
    assert first["loss"] != pytest.approx(loss, abs=1e-6)
    loop.optimizer.iterations.assign(0)
    (second,) = train(loop, [batch])
    assert second["loss"] != pytest.approx(first["loss"], abs=1e-6)
    reset(loop, before)
    (again,) = train(loop, [batch])
    assert again == first


def test_many_steps_in_one_call_are_as_many_single_ones(trained):
    loop, batches, losses = trained
    other = make_loop()
    sums = other.train(iter(make_dataset(batches)), tf.constant(_NUM_STEPS))
    assert float(sums["steps"]) == _NUM_STEPS
    assert float(sums["skipped_steps"]) == 0
    assert float(sums["tokens"]) == sum(
        inputs["input_mask"].sum() for inputs, *_ in batches
    )
    assert mean_metrics(sums)["loss"] == pytest.approx(np.mean(losses))
    assert largest_difference(loop, other) == 0


@pytest.mark.smoke("4-1-False 3-False")
@pytest.mark.parametrize(
    ("accumulation_steps", "parallel_parts", "jit_compile"),
    [(4, 1, False), (4, 1, True), (1, 1, True), (1, 3, False), (2, 3, False)],
)
def test_pieces_of_a_batch_sum_up_to_the_batch(
    trained, accumulation_steps, parallel_parts, jit_compile
):
    loop, batches, losses = trained
    for _, _, weights in batches:
        counts = weights["mlm_logits"].reshape(4, -1).sum(-1)
        assert len({*counts}) > 1
    other = make_loop(
        accumulation_steps=accumulation_steps,
        parallel_parts=parallel_parts,
        jit_compile=jit_compile,
    )
    curve = train(other, batches)
    np.testing.assert_allclose([x["loss"] for x in curve], losses, rtol=1e-6)
    assert largest_difference(loop, other) < 1e-6
    assert int(other.optimizer.iterations) == _NUM_STEPS
    assert float(other.optimizer.learning_rate) == pytest.approx(0.005)


@pytest.mark.exhaustive
def test_the_graph_of_a_step_has_no_string_and_no_unknown_shape(trained):
    loop, batches, _ = trained
    loop = PretrainingLoop(loop.trainable, loop.optimizer, accumulation_steps=2)
    spec = make_dataset(batches[:1]).element_spec
    step = tf.function(loop._step).get_concrete_function(spec)
    graphs, seen = [step.graph], set()
    while graphs:
        graph = graphs.pop()
        seen.update(operation.type for operation in graph.get_operations())
        graphs += [
            function.graph
            for function in graph._functions.values()
            if hasattr(function, "graph")
        ]
        for operation in graph.get_operations():
            for tensor in operation.outputs:
                assert tensor.dtype != tf.string, operation
                # Unused variables are placeholders in the condition of a loop.
                is_data = tensor.dtype not in (tf.resource, tf.variant)
                if is_data and "redundant_placeholder" not in tensor.name:
                    assert tensor.shape.is_fully_defined(), operation
    assert "MatMul" in seen
    assert not seen & {"Where", "Unique", "DynamicPartition", "PyFunc"}


def test_bfloat16_trains(random_batch):
    loop = make_loop(precision="mixed_bfloat16")
    assert not loop.scales_loss
    iterator = iter(make_dataset([random_batch(0)] * 30))
    first, others, last = (
        mean_metrics(loop.train(iterator, tf.constant(num_steps)))
        for num_steps in (1, 28, 1)
    )
    assert last["loss"] < others["loss"] < first["loss"]
    assert last["loss"] < first["loss"] - 0.3
    assert {weight.dtype for weight in loop.model.weights} == {"float32"}


def test_a_gradient_that_is_not_finite_is_no_step(trained):
    loop, batches, _ = trained
    before = values_of(loop)
    inputs, labels, weights = batches[0]
    bad = {**weights, "nsp_logits": np.full(8, np.inf, "float32")}
    data = make_dataset([(inputs, labels, bad), batches[1]])
    iterator = iter(data)
    sums = loop.train(iterator, tf.constant(1))
    assert float(sums["skipped_steps"]) == 1
    assert {float(v) for k, v in sums.items() if k != "skipped_steps"} == {0}
    of_the_step = ("gradient_norm", "step")
    for variable, old in zip(loop.variables, before, strict=True):
        if variable.name.partition(":")[0] not in of_the_step:
            np.testing.assert_array_equal(variable.numpy(), old)
    sums = loop.train(iterator, tf.constant(1))
    assert (float(sums["steps"]), float(sums["skipped_steps"])) == (1, 0)
    assert np.isfinite(mean_metrics(sums)["loss"])
    assert int(loop.optimizer.iterations) == _NUM_STEPS + 1
    reset(loop, before)


def test_float16_halves_its_loss_scale_until_nothing_overflows(random_batch):
    loop = make_loop(precision="mixed_float16")
    assert loop.scales_loss
    factor, _ = loop.variables[-2:]
    factor.assign(2.0**20)
    curve, before = [], loop.model.get_weights()
    iterator = iter(make_dataset([random_batch(0)] * 40))
    while not curve or float(curve[-1]["steps"]) == 0:
        for old, new in zip(before, loop.model.get_weights(), strict=True):
            np.testing.assert_array_equal(old, new)
        curve.append(loop.train(iterator, tf.constant(1)))
    assert len(curve) > 1
    assert float(factor) == 2.0 ** (21 - len(curve))
    sums = loop.train(iterator, tf.constant(40 - len(curve)))
    means = mean_metrics(sums)
    assert means["loss"] < mean_metrics(curve[-1])["loss"]
    assert means["gradient_norm"] < 10  # Without scaling of the loss.


def test_weights_that_no_output_depends_on_stay(random_batch):
    loop = make_loop(tiny.config("bert", L=1, attention_window=4))
    kernels = [w for w in loop.model.weights if w.path.endswith("/kernel")]
    before = [weight.numpy() for weight in kernels]
    train(loop, [random_batch(seed, batch_size=8) for seed in range(2)])
    for weight, values in zip(kernels, before, strict=True):
        moved = np.abs(values - weight).max()  # By the decay only, or not.
        assert (moved < 1e-4) == ("/global_" in weight.path), weight.path
