"""Train tiny models on two logical CPU devices; print the differences.

This is a program, because devices must be split before TensorFlow starts.
"""

import json
import sys
import tempfile

import keras
import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(
    cpu, [tf.config.LogicalDeviceConfiguration()] * 2
)

from keras_bert.checkpoints.training_state import restore_state  # noqa: E402
from keras_bert.checkpoints.training_state import save_state  # noqa: E402
from keras_bert.models import bert_pretrainer  # noqa: E402
from keras_bert.optimizers.optimizers import bert_adamw  # noqa: E402
from keras_bert.optimizers.optimizers import bert_lamb  # noqa: E402
from keras_bert.optimizers.optimizers import bert_stable_adamw  # noqa: E402
from keras_bert.optimizers.schedules import LinearWarmupDecay  # noqa: E402
from keras_bert.pretraining.batches.static import padded_batches  # noqa: E402
from keras_bert.pretraining.job.loop import PretrainingLoop  # noqa: E402
from keras_bert.pretraining.job.strategies import is_chief  # noqa: E402
from keras_bert.pretraining.job.strategies import make_strategy  # noqa: E402
from keras_bert.pretraining.objectives.terms import mean_metrics  # noqa: E402
from keras_bert.pretraining.objectives.trainable_models import TrainableModels  # noqa: E402
from tests import tiny  # noqa: E402
from tests.conftest import _random_batch  # noqa: E402
from tests.tiny import values_of  # noqa: E402

_ONE = tf.distribute.get_strategy()
_TWO = make_strategy("mirrored")


def _arrays(num_examples, bad_example=None):
    batch = _random_batch(1, num_examples)
    if bad_example:
        batch[2]["nsp_logits"][bad_example] = np.inf
    return tf.data.Dataset.from_tensor_slices(batch)


def _make_loop(make, strategy, dropout=0.0, **arguments):
    keras.utils.set_random_seed(1)
    rates = {"hidden_dropout_prob": dropout}
    rates["attention_probs_dropout_prob"] = dropout
    with strategy.scope():
        model = bert_pretrainer(tiny.config("bert", L=1, **rates))
        optimizer = make(model, LinearWarmupDecay(0.01, 30, 3))
    return PretrainingLoop(
        TrainableModels(model), optimizer, strategy, **arguments
    )


def _train(loop, data, num_calls=4, batch_size=8):
    batches = data.batch(batch_size, drop_remainder=True)
    iterator = iter(loop.strategy.experimental_distribute_dataset(batches))
    return [
        mean_metrics(loop.train(iterator, tf.constant(5)))["loss"]
        for _ in range(num_calls)
    ]


def _difference(ours, theirs):
    return max(
        float(np.max(np.abs(a - b))) for a, b in zip(ours, theirs, strict=True)
    )


def _evaluate(loop, data):
    batches = padded_batches(data.take(21).batch(8), 8)
    return loop.evaluate(loop.strategy.experimental_distribute_dataset(batches))


_CASES = {
    "adamw": (bert_adamw, {}),
    "lamb": (bert_lamb, {}),
    "stable": (bert_stable_adamw, {}),
    "pieces": (bert_adamw, {"accumulation_steps": 2}),
}


def _compare_with_one_device(found, name):
    """Compare with one device; device 2 has one gradient that is not finite."""
    make, arguments = _CASES[name]
    data = _arrays(160, bad_example=45)
    one, two = _make_loop(make, _ONE), _make_loop(make, _TWO, **arguments)
    found["losses"] = _difference(_train(one, data), _train(two, data))
    found["weights"] = _difference(
        *([x.numpy() for x in y.model.trainable_variables] for y in (one, two))
    )
    found["chief"] = is_chief(_ONE) and is_chief(_TWO)
    found["steps"] = [int(x.optimizer.iterations.numpy()) for x in (one, two)]
    found["evaluation"] = _difference(
        *([*_evaluate(loop, data).values()] for loop in (one, two))
    )


def _resume_elsewhere(found):
    """Resume a state of two devices on one; dropout continues as well."""
    data = _arrays(160)
    two = _make_loop(bert_adamw, _TWO, dropout=0.5)
    _train(two, data, 1)
    one = _make_loop(bert_adamw, _ONE, dropout=0.5)
    with tempfile.TemporaryDirectory() as directory:
        save_state(directory, 5, two.variables, {})
        restore_state(directory, one.variables)
        found["restored on one"] = _difference(values_of(one), values_of(two))
        losses = _train(two, data, 1)
        restore_state(directory, two.variables)
        found["dropout again"] = _difference(losses, _train(two, data, 1))


def _give_both_the_same_examples(found):
    """Compare with one device when both devices get the same examples.

    With equal dropout masks the losses would be equal.
    """
    data = _arrays(80)

    def twice(*batch):
        return tf.nest.map_structure(lambda x: tf.concat([x, x], 0), batch)

    doubled = data.batch(4).map(twice).unbatch()
    for name, dropout in (("without dropout", 0.0), ("with dropout", 0.5)):
        one = _make_loop(bert_adamw, _ONE, dropout)
        two = _make_loop(bert_adamw, _TWO, dropout)
        found[f"same examples {name}"] = _difference(
            _train(two, doubled, 1), _train(one, data, 1, batch_size=4)
        )


def main(names):
    found = {}
    if names:
        _compare_with_one_device(found, *names)
    else:
        _give_both_the_same_examples(found)
        _resume_elsewhere(found)
        try:
            _make_loop(bert_adamw, _TWO, jit_compile=True)
        except ValueError as error:
            found["jit"] = str(error)
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1:])
