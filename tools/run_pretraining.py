"""Pre-trains a BERT, or a relative, from records and writes a checkpoint.

    python tools/run_pretraining.py --input_file='tfrecords/train-*.tfrecord' \\
        --eval_file=tfrecords/eval.tfrecord --vocab_file=vocab.txt \\
        --bert_config_file=configs/bert_tiny.json --output_dir=runs/tiny \\
        --num_train_steps=1000 --num_warmup_steps=100

How the records were made, their manifest tells: casing, lengths and masking
need flags only for records made elsewhere. Records of --masking=dynamic are
masked otherwise in every epoch; see docs/dynamic_masking.md.
With --eval_file the model is evaluated before and after, and every
--eval_steps. The curve goes to metrics.jsonl and to an event file for
TensorBoard beside the checkpoint. A run that was killed goes on where it was
when the same command is typed again; SIGTERM and Ctrl-C save first, a second
Ctrl-C stops at once. --train_batch_size is the global batch, on all devices of
--strategy and over all --gradient_accumulation_steps.
"""

from absl import flags

from keras_bert import command_line
from keras_bert.programs import pretraining
from keras_bert.training import choices
from keras_bert.training import objectives

flags.DEFINE_list(
    "input_file",
    None,
    "Record files to train on: paths and globs.",
    required=True,
)
_EVAL_FILE = flags.DEFINE_list(
    "eval_file", None, "Record files to evaluate on: paths and globs."
)
flags.DEFINE_string(
    "output_dir",
    None,
    "Where the checkpoint goes; new, empty or of a run to go on with.",
    required=True,
)
_BERT_CONFIG_FILE = flags.DEFINE_string(
    "bert_config_file", None, "Sizes of a fresh model."
)
_VOCAB_FILE = flags.DEFINE_string(
    "vocab_file", None, "The vocab_file that the records were made with."
)
flags.DEFINE_bool(
    "do_lower_case",
    None,
    "Of word pieces: whether the records are lower-cased; needed if neither "
    "their manifest nor what stands beside the vocabulary tells.",
)
_INIT_CHECKPOINT = flags.DEFINE_string(
    "init_checkpoint",
    None,
    "Directory to train on from, instead of a config and a vocabulary.",
)
_ALLOW_MISSING = flags.DEFINE_list(
    "allow_missing",
    [],
    "Parts (pooler, masked_lm_head, nsp_head, sop_head) that start random "
    "where --init_checkpoint lacks them.",
)
flags.DEFINE_enum(
    "objective",
    objectives.PUBLISHED,
    [*objectives.OBJECTIVES],
    "What is learned: masked tokens and next sentences, masked tokens and the "
    "order of sentences, only masked tokens, or every token from those before "
    "it.",
)
flags.DEFINE_integer(
    "max_seq_length",
    None,
    "As the records were made; by default what their manifest says, or 128.",
)
flags.DEFINE_integer(
    "max_predictions_per_seq",
    None,
    "As the records were made; by default what their manifest says, or 20.",
)
flags.DEFINE_enum(
    "masking",
    None,
    choices.MASKINGS,
    "As the records were made; by default what their manifest says, or static.",
)
flags.DEFINE_float(
    "masked_lm_prob",
    None,
    "Share of tokens to mask, with --masking=dynamic; by default 0.15.",
)
flags.DEFINE_bool(
    "do_whole_word_mask",
    None,
    "Mask all pieces of a word or none, with --masking=dynamic.",
)
flags.DEFINE_integer(
    "ngram",
    None,
    "Mask runs of 1 up to so many words (pieces without "
    "--do_whole_word_mask), with --masking=dynamic; by default 1.",
)
flags.DEFINE_integer(
    "train_batch_size", 32, "Examples in a training step, on all devices."
)
_EVAL_BATCH_SIZE = flags.DEFINE_integer(
    "eval_batch_size", 64, "Examples in an evaluation step."
)
flags.DEFINE_integer(
    "gradient_accumulation_steps",
    1,
    "Pieces that a batch is worked through in, to save memory.",
)
flags.DEFINE_enum(
    "optimizer", "adamw", choices.OPTIMIZERS, "See docs/optimizers.md."
)
flags.DEFINE_float("beta_2", 0.999, "Of the running mean of squared gradients.")
flags.DEFINE_float("learning_rate", 1e-4, "Its peak.")
flags.DEFINE_enum(
    "learning_rate_decay",
    "linear",
    choices.DECAYS,
    "How the rate falls after the warm-up.",
)
flags.DEFINE_integer("num_train_steps", 100_000, "Optimizer steps.")
flags.DEFINE_integer(
    "num_warmup_steps", 10_000, "Steps in which the rate rises."
)
flags.DEFINE_enum(
    "precision",
    "auto",
    choices.PRECISIONS,
    "Of the matrix products; auto is mixed_bfloat16 where the hardware has it.",
)
flags.DEFINE_enum(
    "strategy", "one_device", choices.STRATEGIES, "Where to train."
)
flags.DEFINE_bool("jit", False, "Compile the step with XLA.")
flags.DEFINE_integer("steps_per_execution", 1, "Steps in one graph call.")
flags.DEFINE_integer("log_steps", 25, "Steps between points of the curve.")
_EVAL_STEPS = flags.DEFINE_integer(
    "eval_steps", 0, "Steps between evaluations; 0: only before and after."
)
flags.DEFINE_integer(
    "save_checkpoints_steps", 1000, "Steps between states to go on from."
)
flags.DEFINE_integer("keep_checkpoint_max", 2, "How many of these states stay.")
flags.DEFINE_enum(
    "on_nan", "stop", choices.ON_NAN, "What to do at a gradient of NaN."
)
flags.DEFINE_bool(
    "allow_changed_flags", False, "Go on with a run under other flags."
)
flags.DEFINE_integer(
    "random_seed",
    12345,
    "Of the weights, the dropout, the data order and the masks.",
)


def main():
    _check_flags()
    recipe = pretraining.PretrainingRecipe(**command_line.own_flags())
    plan = pretraining.plan_pretraining(recipe)
    pretraining.run_plan(plan)  # Only here is TensorFlow imported.


def _check_flags():
    """Flags that contradict each other or have no effect are errors."""
    command_line.refuse_both(_INIT_CHECKPOINT, _VOCAB_FILE)
    command_line.refuse_both(_INIT_CHECKPOINT, _BERT_CONFIG_FILE)
    if not _INIT_CHECKPOINT.value:
        command_line.refuse(_ALLOW_MISSING, "is for --init_checkpoint")
    if not _EVAL_FILE.value:
        command_line.refuse(_EVAL_STEPS, "is for --eval_file")
        command_line.refuse(_EVAL_BATCH_SIZE, "is for --eval_file")


if __name__ == "__main__":
    command_line.run(main)
