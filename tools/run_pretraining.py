"""Pre-trains a BERT from records and writes a checkpoint directory.

    python tools/run_pretraining.py --input_file='tfrecords/train-*.tfrecord' \\
        --eval_file=tfrecords/eval.tfrecord --vocab_file=vocab.txt \\
        --bert_config_file=configs/bert_tiny.json --output_dir=runs/tiny \\
        --num_train_steps=1000 --num_warmup_steps=100

With --masking=dynamic the records are those of create_pretraining_data with
the same flag, and every epoch masks other tokens; see docs/dynamic_masking.md.
With --eval_file the model is evaluated before and after. The curve goes to
metrics.jsonl and to an event file for TensorBoard beside the checkpoint.
"""

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
from keras_bert.data import pretraining_dataset
from keras_bert.data.files import check_writable
from keras_bert.data.files import expand_patterns
from keras_bert.text import BertTokenizer
from keras_bert.text import Vocabulary
from keras_bert.text.vocabulary import MASK
from keras_bert.training.pretraining_run import PretrainingRecipe
from keras_bert.training.pretraining_run import run_pretraining

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
    "Where the checkpoint goes; new or empty.",
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
    "train_batch_size", 32, "Examples in a training step."
)
_EVAL_BATCH_SIZE = flags.DEFINE_integer(
    "eval_batch_size", 64, "Examples in an evaluation step."
)
_LEARNING_RATE = flags.DEFINE_float("learning_rate", 1e-4, "Its peak.")
_NUM_TRAIN_STEPS = flags.DEFINE_integer(
    "num_train_steps", 100_000, "Optimizer steps."
)
_NUM_WARMUP_STEPS = flags.DEFINE_integer(
    "num_warmup_steps", 10_000, "Steps in which the rate rises."
)
_PRECISION = flags.DEFINE_enum(
    "precision", "float32", ["float32", "mixed_bfloat16"], "Of the products."
)
_RANDOM_SEED = flags.DEFINE_integer(
    "random_seed",
    12345,
    "Of the weights, the dropout, the data order and the masks.",
)


def main():
    keras.utils.set_random_seed(_RANDOM_SEED.value)
    keras.config.set_dtype_policy(_PRECISION.value)
    recipe = PretrainingRecipe(
        _LEARNING_RATE.value, _NUM_TRAIN_STEPS.value, _NUM_WARMUP_STEPS.value
    )
    bert = _make_bert()
    bert.check_parts("masked_lm_head", "nsp_head")
    train_data = _dataset(
        _INPUT_FILE.value, _TRAIN_BATCH_SIZE.value, bert, _RANDOM_SEED.value
    )
    eval_data = None
    if _EVAL_FILE.value:
        eval_data = _dataset(_EVAL_FILE.value, _EVAL_BATCH_SIZE.value, bert)
    output_dir = pathlib.Path(_OUTPUT_DIR.value)
    check_writable(output_dir)
    if any(output_dir.iterdir()):
        raise ValueError(
            "--output_dir must be new or empty, so that nothing is lost. "
            f"Received: {str(output_dir)!r}."
        )
    (output_dir / "flags.txt").write_text(flags.FLAGS.flags_into_string())
    metrics = run_pretraining(
        bert.pretrainer, recipe, train_data, eval_data, output_dir
    )
    card = {
        "Training": f"    {shlex.join(sys.argv)}",
        "Metrics": f"    {json.dumps(metrics)}",
    }
    save_pretrained(bert, output_dir, card=card)
    logging.info("Wrote %s. %s", output_dir, json.dumps(metrics))


def _make_bert():
    if _INIT_CHECKPOINT.value:
        return from_pretrained(_INIT_CHECKPOINT.value, _ALLOW_MISSING.value)
    if not (_VOCAB_FILE.value and _BERT_CONFIG_FILE.value):
        raise ValueError(
            "Either --init_checkpoint is needed, or --bert_config_file and "
            "--vocab_file."
        )
    vocabulary = Vocabulary.from_file(_VOCAB_FILE.value)
    return Bert.from_config(
        BertConfig.from_json(_BERT_CONFIG_FILE.value),
        BertTokenizer(vocabulary, lowercase=vocabulary.is_lowercase),
    )


def _dataset(patterns, batch_size, bert, shuffle_seed=None):
    if _MAX_SEQ_LENGTH.value > bert.config.max_position_embeddings:
        raise ValueError(
            "--max_seq_length must be at most the model's "
            "`max_position_embeddings`. Received: max_seq_length="
            f"{_MAX_SEQ_LENGTH.value}, max_position_embeddings="
            f"{bert.config.max_position_embeddings}."
        )
    sizes = (
        batch_size,
        _MAX_SEQ_LENGTH.value,
        _MAX_PREDICTIONS_PER_SEQ.value,
        bert.config.vocab_size,
    )
    paths = expand_patterns(patterns)
    if _MASKING.value == "static":
        if _MASKED_LM_PROB.present or _DO_WHOLE_WORD_MASK.present:
            raise ValueError(
                "--masked_lm_prob and --do_whole_word_mask are for "
                "--masking=dynamic: static records are masked already."
            )
        return pretraining_dataset(paths, *sizes, shuffle_seed)
    return dynamic_pretraining_dataset(
        paths,
        *sizes,
        mask_id=bert.tokenizer.vocabulary.id_of(MASK),
        seed=_RANDOM_SEED.value,
        masked_lm_prob=_MASKED_LM_PROB.value,
        do_whole_word_mask=_DO_WHOLE_WORD_MASK.value,
        epoch=None if shuffle_seed is not None else 0,
    )


if __name__ == "__main__":
    command_line.run(main)
