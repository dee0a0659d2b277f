"""Compare ELECTRA's training step with separate steps of its two models.

    python benchmarks/studies/electra_step.py \\
        --config=configs/electra_small.json

The three steps alternate on one synthetic batch. The program prints a JSON line
with the median seconds of each, and the ratio of the joint step to the sum of
the separate steps. When trained separately, the generator has its own embedding
tables, and the discriminator receives texts and labels.
"""

import json
import pathlib
import statistics
import sys
import time
import types

import keras
import tensorflow as tf
from absl import app
from absl import flags

from keras_bert import pretraining
from keras_bert.checkpoints import PretrainedModel
from keras_bert.models.families.electra.model import ElectraConfig
from keras_bert.optimizers import bert_adamw
from keras_bert.pretraining import Objective
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.pretraining.objectives.objectives import objective_named
from keras_bert.pretraining.objectives.replaced_tokens import (
    replaced_token_models,
)
from keras_bert.pretraining.objectives.replaced_tokens import (
    replaced_token_terms,
)
from keras_bert.pretraining.objectives.trainable_models import TrainableModels
from keras_bert.text import Vocabulary
from keras_bert.text.wordpiece.settings import WordpieceSettings
from keras_bert.text.wordpiece.vocabulary import SPECIAL_TOKENS

sys.path.append(str(pathlib.Path(__file__).parents[1]))

from measuring import make_batch  # noqa: E402

_CONFIG = flags.DEFINE_string(
    "config", None, "Config of the discriminator.", required=True
)
_SIZE = flags.DEFINE_float(
    "generator_size",
    0.25,
    "Width of the generator relative to the discriminator.",
)
_BATCH = flags.DEFINE_integer("batch_size", 16, "Number of examples in a step.")
_LENGTH = flags.DEFINE_integer(
    "seq_length", 128, "Number of tokens in an example."
)
_STEPS = flags.DEFINE_integer(
    "num_steps", 10, "Number of timed steps per model."
)
_PRECISION = flags.DEFINE_string("precision", "float32", "Keras dtype policy.")

_WARM_UP = 2


def main(_):
    keras.config.set_dtype_policy(_PRECISION.value)
    config = ElectraConfig.from_json(_CONFIG.value)
    loops = _loops(config)
    batch = make_batch(config.vocab_size, _BATCH.value, _LENGTH.value)
    batches = pretraining.token_batches(tf.data.Dataset.from_tensors(batch))
    batches = batches.map(_with_labels).cache().repeat()
    iterators = {name: iter(batches) for name in loops}
    seconds = {name: [] for name in loops}
    for _ in range(_STEPS.value + _WARM_UP):
        for name, loop in loops.items():
            start = time.perf_counter()
            float(loop.train(iterators[name], tf.constant(1))["loss"])
            seconds[name].append(time.perf_counter() - start)
    medians = {
        name: statistics.median(x[_WARM_UP:]) for name, x in seconds.items()
    }
    apart = medians["generator"] + medians["discriminator"]
    print(json.dumps({**medians, "both_over_apart": medians["both"] / apart}))


def _loops(config):
    """Return the loops of both models together and of each one separately."""
    words = [f"w{n}" for n in range(config.vocab_size - len(SPECIAL_TOKENS))]
    tokenizer = WordpieceSettings(Vocabulary([*SPECIAL_TOKENS, *words]))

    def make(config, part):
        return PretrainedModel.from_config(config, tokenizer, [part])

    discriminator = make(config, "replaced_token_head")
    recipe = types.SimpleNamespace(
        init_checkpoint=None, generator_size=_SIZE.value, random_seed=1
    )
    trainable = replaced_token_models(discriminator, recipe, None)
    generator = make(config.generator(_SIZE.value), "masked_lm_head").model
    alone = make(config, "replaced_token_head").model
    labels = keras.Input((None,), dtype="int32", name="is_replaced")
    alone = keras.Model(
        {**alone.input, labels.name: labels},
        {**alone.output, labels.name: labels},
    )
    electra = objective_named("electra")
    found = Objective(
        "found", (), lambda: replaced_token_terms()[1:], None, None
    )
    return {
        "both": _loop(trainable, electra),
        "generator": _loop(TrainableModels(generator), objective_named("mlm")),
        "discriminator": _loop(TrainableModels(alone), found),
    }


def _loop(trainable, objective):
    optimizer = bert_adamw(trainable.model, 1e-4)
    return PretrainingLoop(trainable, optimizer, objective=objective)


def _with_labels(inputs, labels, weights):
    replaced = tf.ones_like(inputs["input_ids"])
    return {**inputs, "is_replaced": replaced}, labels, weights


if __name__ == "__main__":
    app.run(main)
