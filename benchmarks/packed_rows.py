"""Compare training steps on full, packed and padded rows.

    python benchmarks/packed_rows.py --lengths_file=data/sst2/train.tsv

Each way trains on the same number of tokens: rows filled by one text, rows
packed with several texts of the lengths in --lengths_file, and one such text
per row, padded to the longest. The ways alternate. The program prints the
median CPU time per step of each way, and its ratio to full rows.
"""

import pathlib
import statistics
import time

import numpy as np
import tensorflow as tf
from absl import app
from absl import flags
from measuring import NUM_PREDICTIONS
from measuring import make_batch

import keras_bert
from keras_bert.checkpoints.family import read_config
from keras_bert.models.family import family_of
from keras_bert.pretraining.job.loop import PretrainingLoop
from keras_bert.pretraining.objectives.objectives import OBJECTIVES
from keras_bert.pretraining.objectives.trainable_models import TrainableModels

_CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"
_LENGTHS = flags.DEFINE_string(
    "lengths_file",
    None,
    "File with one text per line, whose words are counted.",
    required=True,
)
_CONFIG = flags.DEFINE_string(
    "config_file", str(_CONFIGS / "bert_small.json"), "Config of the model."
)
_ROWS = flags.DEFINE_integer("rows", 16, "Number of full rows per batch.")
_SEQ_LENGTH = flags.DEFINE_integer(
    "seq_length", 128, "Number of tokens in a full row."
)
_STEPS = flags.DEFINE_integer("steps", 9, "Number of timed steps per method.")


def main(_):
    tf.config.threading.set_intra_op_parallelism_threads(1)
    lines = pathlib.Path(_LENGTHS.value).read_text("utf-8").splitlines()
    lengths = [len(line.split()) + 2 for line in lines]
    ways = {
        "full rows": [[_SEQ_LENGTH.value]] * _ROWS.value,
        "several texts": _packed(lengths),
    }
    texts = [text for row in ways["several texts"] for text in row]
    ways["padded"] = [[text] for text in texts]
    steps = {name: _step(rows) for name, rows in ways.items()}
    seconds = {name: [] for name in ways}
    for turn in range(_STEPS.value + 2):
        for name, step in steps.items():
            start = time.process_time()
            step()
            if turn > 1:  # The first two trace and allocate.
                seconds[name].append(time.process_time() - start)
    full = statistics.median(seconds["full rows"])
    for name, rows in ways.items():
        median = statistics.median(seconds[name])
        print(
            f"{name}: {len(rows)} rows, {sum(map(sum, rows))} tokens, "
            f"{median:.3f} s, {median / full:.2f} of full rows",
            flush=True,
        )


def _packed(lengths):
    """Pack text lengths into rows; the last text of a row may be truncated."""
    lengths, rows = iter(lengths), []
    for _ in range(_ROWS.value):
        row, left = [], _SEQ_LENGTH.value
        while left > 2:
            row.append(min(next(lengths), left))
            left -= row[-1]
        rows.append(row)
    return rows


def _step(rows):
    """Return a function that runs a training step on texts of these lengths."""
    config = read_config(_CONFIG.value)
    kind = family_of(config.model_type)
    backbone = kind.backbone(config)
    heads = kind.heads(config, backbone.embeddings)
    heads = {"masked_lm_head": heads["masked_lm_head"]}
    longest = max(map(sum, rows))
    inputs, labels, weights = make_batch(config.vocab_size, len(rows), longest)
    # All ways predict the same number of tokens.
    count = round(NUM_PREDICTIONS * _ROWS.value / len(rows))
    inputs["masked_lm_positions"] = inputs["masked_lm_positions"][:, :count]
    labels, weights = (
        {"mlm_logits": part["mlm_logits"][:, :count]}
        for part in (labels, weights)
    )
    numbers = np.zeros((len(rows), longest), np.int32)
    for row, texts in enumerate(rows):
        of_texts = np.repeat(np.arange(1, len(texts) + 1), texts)
        numbers[row, : len(of_texts)] = of_texts
    inputs["input_mask"] = (numbers > 0).astype(np.int32)
    if any(len(row) > 1 for row in rows):
        backbone = backbone.packed()
        inputs["text_numbers"] = numbers
    model = keras_bert.models.add_heads(backbone, heads, "pretrainer")
    inputs = {name: inputs[name] for name in model.input}
    batch = inputs, labels, weights
    batches = iter(tf.data.Dataset.from_tensors(batch).cache().repeat())
    optimizer = keras_bert.optimizers.bert_adamw(model, 1e-4)
    objective = OBJECTIVES["mlm"]
    loop = PretrainingLoop(
        TrainableModels(model), optimizer, objective=objective
    )
    return lambda: float(loop.train(batches, tf.constant(1))["loss"])


if __name__ == "__main__":
    app.run(main)
