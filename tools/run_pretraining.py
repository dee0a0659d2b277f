"""Pre-trains a BERT from records and writes a checkpoint directory.

    python tools/run_pretraining.py --input_file='tfrecords/train-*.tfrecord' \\
        --eval_file=tfrecords/eval.tfrecord --vocab_file=vocab.txt \\
        --bert_config_file=configs/bert_tiny.json --output_dir=runs/tiny \\
        --num_train_steps=1000 --num_warmup_steps=100

With --masking=dynamic the records are those of create_pretraining_data with
the same flag, and every epoch masks other tokens; see docs/dynamic_masking.md.
With --eval_file the model is evaluated before and after, and every
--eval_steps. The curve goes to metrics.jsonl and to an event file for
TensorBoard beside the checkpoint. A run that was killed goes on where it was
when the same command is typed again. --train_batch_size is the global batch,
on all devices of --strategy and over all --gradient_accumulation_steps.
"""

import dataclasses
import json
import pathlib
import shlex
import sys

import keras
from absl import flags
from absl import logging

from keras_bert import command_line
from keras_bert.checkpoints import Bert
from keras_bert.checkpoints import from_pretrained
from keras_bert.checkpoints import save_pretrained
from keras_bert.config import BertConfig
from keras_bert.data import dynamic_pretraining_dataset
from keras_bert.data import endless_pretraining_dataset
from keras_bert.data import left_to_right_batches
from keras_bert.data import pretraining_dataset
from keras_bert.data.dataset import padded_batches
from keras_bert.files import check_writable
from keras_bert.files import expand_patterns
from keras_bert.files import total_size
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.vocabulary import MASK
from keras_bert.training.loop import PretrainingLoop
from keras_bert.training.optimizers import bert_adamw
from keras_bert.training.optimizers import bert_lamb
from keras_bert.training.precision import PRECISIONS
from keras_bert.training.precision import dtype_policy
from keras_bert.training.pretraining_run import RunOptions
from keras_bert.training.pretraining_run import run_pretraining
from keras_bert.training.run_record import begin_run
from keras_bert.training.schedules import CosineWarmupDecay
from keras_bert.training.schedules import LinearWarmupDecay
from keras_bert.training.schedules import PolynomialWarmupDecay
from keras_bert.training.strategies import STRATEGIES
from keras_bert.training.strategies import is_chief
from keras_bert.training.strategies import make_strategy
from keras_bert.training.throughput import matrix_product_rate
from keras_bert.training.throughput import training_flops

_INPUT_FILE = flags.DEFINE_list(
    "input_file",
    None,
    "Record files to train on: paths and globs.",
    required=True,
)
_EVAL_FILE = flags.DEFINE_list(
    "eval_file", None, "Record files to evaluate on: paths and globs."
)
_OUTPUT_DIR = flags.DEFINE_string(
    "output_dir",
    None,
    "Where the checkpoint goes; new, empty or of a run to go on with.",
    required=True,
)
_BERT_CONFIG_FILE = flags.DEFINE_string(
    "bert_config_file", None, "Sizes of a fresh model."
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "The vocab.txt that the records were made with."
)
_INIT_CHECKPOINT = flags.DEFINE_string(
    "init_checkpoint",
    None,
    "Directory to train on from, instead of a config and a vocabulary.",
)
_ALLOW_MISSING = flags.DEFINE_list(
    "allow_missing",
    [],
    "Parts (pooler, masked_lm_head, nsp_head) that start random where "
    "--init_checkpoint lacks them.",
)
_OBJECTIVE = flags.DEFINE_enum(
    "objective",
    "mlm_nsp",
    ["mlm_nsp", "mlm", "left_to_right"],
    "What is learned: masked tokens and next sentences, masked tokens alone, "
    "or every token from those before it.",
)
_MAX_SEQ_LENGTH = flags.DEFINE_integer(
    "max_seq_length", 128, "As the records were made."
)
_MAX_PREDICTIONS_PER_SEQ = flags.DEFINE_integer(
    "max_predictions_per_seq", 20, "As the records were made."
)
_MASKING = flags.DEFINE_enum(
    "masking", "static", ["static", "dynamic"], "As the records were made."
)
_MASKED_LM_PROB = flags.DEFINE_float(
    "masked_lm_prob", 0.15, "Share of tokens to mask, with --masking=dynamic."
)
_DO_WHOLE_WORD_MASK = flags.DEFINE_bool(
    "do_whole_word_mask",
    False,
    "Mask all pieces of a word or none, with --masking=dynamic.",
)
_TRAIN_BATCH_SIZE = flags.DEFINE_integer(
    "train_batch_size", 32, "Examples in a training step, on all devices."
)
_EVAL_BATCH_SIZE = flags.DEFINE_integer(
    "eval_batch_size", 64, "Examples in an evaluation step."
)
_GRADIENT_ACCUMULATION_STEPS = flags.DEFINE_integer(
    "gradient_accumulation_steps",
    1,
    "Pieces that a batch is worked through in, to save memory.",
)
_OPTIMIZER = flags.DEFINE_enum(
    "optimizer", "adamw", ["adamw", "lamb"], "See docs/optimizers.md."
)
_LEARNING_RATE = flags.DEFINE_float("learning_rate", 1e-4, "Its peak.")
_LEARNING_RATE_DECAY = flags.DEFINE_enum(
    "learning_rate_decay",
    "linear",
    ["linear", "polynomial", "cosine"],
    "How the rate falls after the warm-up.",
)
_NUM_TRAIN_STEPS = flags.DEFINE_integer(
    "num_train_steps", 100_000, "Optimizer steps."
)
_NUM_WARMUP_STEPS = flags.DEFINE_integer(
    "num_warmup_steps", 10_000, "Steps in which the rate rises."
)
_PRECISION = flags.DEFINE_enum(
    "precision",
    "auto",
    PRECISIONS,
    "Of the matrix products; auto is mixed_bfloat16 where the hardware has it.",
)
_STRATEGY = flags.DEFINE_enum(
    "strategy", "one_device", STRATEGIES, "Where to train."
)
_JIT = flags.DEFINE_bool("jit", False, "Compile the step with XLA.")
_STEPS_PER_EXECUTION = flags.DEFINE_integer(
    "steps_per_execution", 1, "Steps in one graph call."
)
_LOG_STEPS = flags.DEFINE_integer(
    "log_steps", 25, "Steps between points of the curve."
)
_EVAL_STEPS = flags.DEFINE_integer(
    "eval_steps", 0, "Steps between evaluations; 0: before and after alone."
)
_SAVE_CHECKPOINTS_STEPS = flags.DEFINE_integer(
    "save_checkpoints_steps", 1000, "Steps between states to go on from."
)
_KEEP_CHECKPOINT_MAX = flags.DEFINE_integer(
    "keep_checkpoint_max", 2, "How many of these states stay."
)
_ON_NAN = flags.DEFINE_enum(
    "on_nan", "stop", ["stop", "skip"], "What to do at a gradient of NaN."
)
_ALLOW_CHANGED_FLAGS = flags.DEFINE_bool(
    "allow_changed_flags", False, "Go on with a run under other flags."
)
_RANDOM_SEED = flags.DEFINE_integer(
    "random_seed",
    12345,
    "Of the weights, the dropout, the data order and the masks.",
)

_OPTIMIZERS = {"adamw": bert_adamw, "lamb": bert_lamb}
_SCHEDULES = {
    "linear": LinearWarmupDecay,
    "polynomial": PolynomialWarmupDecay,
    "cosine": CosineWarmupDecay,
}
# The optional parts that an objective trains.
_PARTS = {
    "mlm_nsp": ("pooler", "masked_lm_head", "nsp_head"),
    "mlm": ("masked_lm_head",),
    "left_to_right": ("masked_lm_head",),
}
# What the weights do not depend on.
_FREE_FLAGS = frozenset(
    """allow_changed_flags eval_batch_size eval_file eval_steps flagfile jit
    keep_checkpoint_max log_steps on_nan output_dir save_checkpoints_steps
    steps_per_execution strategy""".split()
)


def main():
    strategy = make_strategy(_STRATEGY.value)
    _check_batch(strategy)
    keras.utils.set_random_seed(_RANDOM_SEED.value)
    keras.config.set_dtype_policy(dtype_policy(_PRECISION.value))
    with strategy.scope():
        bert = _make_bert()
        optimizer = _make_optimizer(bert.pretrainer)
    loop = PretrainingLoop(
        bert.pretrainer,
        optimizer,
        strategy,
        _GRADIENT_ACCUMULATION_STEPS.value,
        _JIT.value,
    )
    datasets = _Datasets(bert)
    eval_data = datasets.evaluation()
    options = _options(bert.config, strategy)
    output_dir = pathlib.Path(_OUTPUT_DIR.value)
    check_writable(output_dir)
    if is_chief(strategy):
        settings = {**_settings(), "records": datasets.training_size()}
        begin_run(output_dir, settings, _ALLOW_CHANGED_FLAGS.value)
    metrics = run_pretraining(
        loop,
        datasets.training,
        eval_data,
        _TRAIN_BATCH_SIZE.value,
        output_dir,
        options,
    )
    if is_chief(strategy):
        _save(bert, output_dir, metrics)


def _check_batch(strategy):
    replicas = strategy.num_replicas_in_sync
    pieces = replicas * _GRADIENT_ACCUMULATION_STEPS.value
    if pieces < 1 or _TRAIN_BATCH_SIZE.value % pieces:
        raise ValueError(
            "--train_batch_size must be a multiple of the devices times "
            "--gradient_accumulation_steps. Received: train_batch_size="
            f"{_TRAIN_BATCH_SIZE.value}, {replicas} devices, "
            "gradient_accumulation_steps="
            f"{_GRADIENT_ACCUMULATION_STEPS.value}."
        )
    logging.info(
        "%s: %d device(s), %d examples each, in %d piece(s); global batch %d, "
        "learning rate %g for all of it, %d steps.",
        _STRATEGY.value,
        replicas,
        _TRAIN_BATCH_SIZE.value // replicas,
        _GRADIENT_ACCUMULATION_STEPS.value,
        _TRAIN_BATCH_SIZE.value,
        _LEARNING_RATE.value,
        _NUM_TRAIN_STEPS.value,
    )


def _make_bert():
    """The BERT that the objective trains, with the parts that it trains."""
    is_decoder = _OBJECTIVE.value == "left_to_right"
    parts = _PARTS[_OBJECTIVE.value]
    if _INIT_CHECKPOINT.value:
        bert = from_pretrained(_INIT_CHECKPOINT.value, _ALLOW_MISSING.value)
        if bert.config.is_decoder != is_decoder:
            raise ValueError(
                "--init_checkpoint must be of a model that looks where "
                "--objective does. Received: objective="
                f"{_OBJECTIVE.value}, is_decoder={bert.config.is_decoder}."
            )
        return bert.with_parts(parts)
    if not (_VOCAB_FILE.value and _BERT_CONFIG_FILE.value):
        raise ValueError(
            "Either --init_checkpoint is needed, or --bert_config_file and "
            "--vocab_file."
        )
    vocabulary = Vocabulary.from_file(_VOCAB_FILE.value)
    config = BertConfig.from_json(_BERT_CONFIG_FILE.value)
    if config.is_decoder and not is_decoder:
        raise ValueError(
            "A --bert_config_file with is_decoder needs "
            "--objective=left_to_right. Received: objective="
            f"{_OBJECTIVE.value}, "
            f"bert_config_file={_BERT_CONFIG_FILE.value!r}."
        )
    return Bert.from_config(
        dataclasses.replace(config, is_decoder=is_decoder),
        BertTokenizer(vocabulary, lowercase=vocabulary.is_lowercase),
        parts,
    )


def _make_optimizer(model):
    schedule = _SCHEDULES[_LEARNING_RATE_DECAY.value](
        _LEARNING_RATE.value, _NUM_TRAIN_STEPS.value, _NUM_WARMUP_STEPS.value
    )
    return _OPTIMIZERS[_OPTIMIZER.value](model, schedule)


class _Datasets:
    """The records of the run, for training and for evaluation."""

    def __init__(self, bert):
        if _MAX_SEQ_LENGTH.value > bert.config.max_position_embeddings:
            raise ValueError(
                "--max_seq_length must be at most the model's "
                "`max_position_embeddings`. Received: max_seq_length="
                f"{_MAX_SEQ_LENGTH.value}, max_position_embeddings="
                f"{bert.config.max_position_embeddings}."
            )
        if _MASKING.value == "static" and (
            _MASKED_LM_PROB.present or _DO_WHOLE_WORD_MASK.present
        ):
            raise ValueError(
                "--masked_lm_prob and --do_whole_word_mask are for "
                "--masking=dynamic: static records are masked already."
            )
        self._sizes = (
            _MAX_SEQ_LENGTH.value,
            _MAX_PREDICTIONS_PER_SEQ.value,
            bert.config.vocab_size,
        )
        self._masking = {
            "mask_id": bert.tokenizer.vocabulary.id_of(MASK),
            "seed": _RANDOM_SEED.value,
            "masked_lm_prob": _MASKED_LM_PROB.value,
            "do_whole_word_mask": _DO_WHOLE_WORD_MASK.value,
        }
        self._training_paths = expand_patterns(_INPUT_FILE.value)
        self.training(0)  # Checks the files, before any work.

    def training(self, first_batch):
        """The batches that follow so many others."""
        sizes = _TRAIN_BATCH_SIZE.value, *self._sizes
        if _MASKING.value == "dynamic":
            batches = dynamic_pretraining_dataset(
                self._training_paths,
                *sizes,
                **self._masking,
                first_batch=first_batch,
            )
        else:
            batches = endless_pretraining_dataset(
                self._training_paths, *sizes, _RANDOM_SEED.value, first_batch
            )
        return _for_objective(batches)

    def training_size(self):
        """By which it is noticed that there are other records."""
        return total_size(self._training_paths)

    def evaluation(self):
        """One pass over the held-out records, or None."""
        if not _EVAL_FILE.value:
            return None
        paths = expand_patterns(_EVAL_FILE.value)
        sizes = _EVAL_BATCH_SIZE.value, *self._sizes
        if _MASKING.value == "dynamic":
            batches = dynamic_pretraining_dataset(
                paths, *sizes, **self._masking, epoch=0
            )
        else:
            batches = pretraining_dataset(paths, *sizes)
        batches = padded_batches(batches, _EVAL_BATCH_SIZE.value)
        return _for_objective(batches)


def _for_objective(batches):
    if _OBJECTIVE.value == "left_to_right":
        return left_to_right_batches(batches)
    return batches


def _settings():
    """The flags that the weights depend on."""
    return {
        name: value
        for name, value in command_line.own_flags().items()
        if name not in _FREE_FLAGS
    }


def _options(config, strategy):
    num_predictions = _MAX_PREDICTIONS_PER_SEQ.value
    if _OBJECTIVE.value == "left_to_right":
        num_predictions = _MAX_SEQ_LENGTH.value - 1
    rate = matrix_product_rate(keras.config.dtype_policy().compute_dtype)
    return RunOptions(
        num_train_steps=_NUM_TRAIN_STEPS.value,
        log_steps=_LOG_STEPS.value,
        eval_steps=_EVAL_STEPS.value,
        save_steps=_SAVE_CHECKPOINTS_STEPS.value,
        keep_states=_KEEP_CHECKPOINT_MAX.value,
        steps_per_execution=_STEPS_PER_EXECUTION.value,
        on_nan=_ON_NAN.value,
        flops_per_example=training_flops(
            config, _MAX_SEQ_LENGTH.value, num_predictions
        ),
        matrix_product_rate=rate * strategy.num_replicas_in_sync,
        sources=",".join(_INPUT_FILE.value),
    )


def _save(bert, output_dir, metrics):
    card = {
        "Training": f"    {shlex.join(sys.argv)}",
        "Metrics": f"    {json.dumps(metrics)}",
    }
    save_pretrained(bert, output_dir, card=card)
    logging.info("Wrote %s. %s", output_dir, json.dumps(metrics))


if __name__ == "__main__":
    command_line.run(main)
