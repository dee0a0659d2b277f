import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from keras_bert.models import bert_pretrainer
from keras_bert.training import bert_adamw
from keras_bert.training import pretraining_losses
from keras_bert.training import pretraining_metrics
from keras_bert.training.loop import PretrainingLoop
from keras_bert.training.schedules import LinearWarmupDecay

_NUM_STEPS = 5


def make_dataset(batches):
    """What `pretraining_dataset` gives, from arrays; batches may differ."""
    dataset = tf.data.Dataset.from_tensors(batches[0])
    for batch in batches[1:]:
        dataset = dataset.concatenate(tf.data.Dataset.from_tensors(batch))
    return dataset


def make_loop(config):
    model = bert_pretrainer(config)
    schedule = LinearWarmupDecay(0.01, num_train_steps=10, num_warmup_steps=2)
    return PretrainingLoop(model, bert_adamw(model, schedule))


def numpy_metrics(model, batches):
    """Means over all real predictions of all batches together."""
    losses = {"mlm": [], "nsp": []}
    hits = {"mlm": [], "nsp": []}
    for inputs, labels, weights in batches:
        outputs = model.predict_on_batch(inputs)
        for task in losses:
            name = f"{task}_logits"
            real = weights[name] == 1
            logits = outputs[name][real].astype("float64")
            wanted = labels[name][real]
            chosen = logits[np.arange(len(wanted)), wanted]
            losses[task].extend(np.log(np.exp(logits).sum(-1)) - chosen)
            hits[task].extend(logits.argmax(-1) == wanted)
    return {
        **{f"{task}_loss": np.mean(losses[task]) for task in losses},
        **{f"{task}_accuracy": np.mean(hits[task]) for task in hits},
    }


def test_loop_and_fit_give_the_same_losses(tiny_config, random_batch):
    batches = [random_batch(seed) for seed in range(_NUM_STEPS)]
    loop = make_loop(tiny_config)
    model = bert_pretrainer(tiny_config)
    model.set_weights(loop.model.get_weights())
    schedule = LinearWarmupDecay(0.01, num_train_steps=10, num_warmup_steps=2)
    model.compile(
        bert_adamw(model, schedule),
        pretraining_losses(),
        weighted_metrics=pretraining_metrics(),
        run_eagerly=True,
    )
    # An epoch of one step each, for within one Keras gives the mean so far.
    history = model.fit(
        make_dataset(batches),
        epochs=_NUM_STEPS,
        steps_per_epoch=1,
        shuffle=False,
        verbose=0,
    ).history
    losses, curves = [], []
    for batch in make_dataset(batches):
        losses.append(float(loop.train_step(*batch)))
        curves.append(loop.collect_metrics())
    np.testing.assert_allclose(losses, history["loss"], rtol=1e-5)
    assert len({*losses}) == _NUM_STEPS
    for name in ("mlm_accuracy", "nsp_accuracy"):
        fitted = history[f"{name[:3]}_logits_{name}"]
        np.testing.assert_allclose([c[name] for c in curves], fitted)
    for name in ("mlm", "nsp"):
        np.testing.assert_allclose(
            [curve[f"{name}_loss"] for curve in curves],
            history[f"{name}_logits_loss"],
            rtol=1e-5,
        )
    for weight, other in zip(loop.model.weights, model.weights, strict=True):
        np.testing.assert_allclose(
            weight.numpy(), other.numpy(), atol=1e-5, err_msg=weight.path
        )


def test_evaluation_is_the_mean_over_all_real_predictions(
    tiny_config, random_batch
):
    config = dataclasses.replace(tiny_config, hidden_dropout_prob=0.5)
    loop = make_loop(config)  # Dropout is for training alone.
    sizes = (4, 4, 3, 1)
    batches = [
        random_batch(seed, batch_size=size) for seed, size in enumerate(sizes)
    ]
    counts = {batch[2]["mlm_logits"].mean() for batch in batches}
    assert len(counts) > 1
    metrics = loop.evaluate(make_dataset(batches))
    expected = numpy_metrics(loop.model, batches)
    assert {*metrics} == {*expected}
    for name, value in expected.items():
        assert metrics[name] == pytest.approx(value, abs=1e-5), name


def test_evaluation_changes_nothing_and_starts_afresh(
    tiny_config, random_batch
):
    loop = make_loop(tiny_config)
    dataset = make_dataset([random_batch(0), random_batch(1)])
    before = loop.model.get_weights()
    expected = loop.evaluate(dataset)
    loop.train_step(*random_batch(2))  # at rate 0, the first of the warm-up
    assert loop.evaluate(dataset) == expected
    for old, new in zip(before, loop.model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_collecting_starts_afresh(tiny_config, random_batch):
    loop = make_loop(tiny_config)
    loss = float(loop.train_step(*random_batch(0)))
    metrics = loop.collect_metrics()
    total = metrics["mlm_loss"] + metrics["nsp_loss"]
    assert total == pytest.approx(loss, abs=1e-6)
    assert {*loop.collect_metrics().values()} == {0.0}


def test_training_drops_out(tiny_config, random_batch):
    config = dataclasses.replace(tiny_config, hidden_dropout_prob=0.5)
    loop = make_loop(config)
    batch = random_batch(0)
    metrics = loop.evaluate(make_dataset([batch]))
    loss = metrics["mlm_loss"] + metrics["nsp_loss"]
    assert float(loop.train_step(*batch)) != pytest.approx(loss, abs=1e-6)
